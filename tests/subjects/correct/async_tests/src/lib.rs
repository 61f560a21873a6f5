//! The mended twin of `faulty/async_tests`, and what must neither hang nor be accused.

use std::sync::atomic::{AtomicU32, Ordering};

/// Counts visits.
#[derive(Debug, Default)]
pub struct Visits(AtomicU32);

impl Visits {
    /// One more.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    /// How many.
    pub fn get(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::Visits;
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream, UnixStream};
    use tokio::sync::{mpsc, Notify};
    use tokio::time::{sleep, timeout, Instant};

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn tasks_on_two_workers_count() {
        let visits = Arc::new(Visits::default());
        let tasks = [1, 2].map(|_| {
            let visits = Arc::clone(&visits);
            tokio::spawn(async move { visits.add() })
        });
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(visits.get(), 2);
    }

    #[tokio::test]
    async fn a_blocking_call_counts_beside_a_task() {
        let visits = Arc::new(Visits::default());
        let blocking = Arc::clone(&visits);
        let call = tokio::task::spawn_blocking(move || blocking.add());
        visits.add();
        call.await.unwrap();
        assert_eq!(visits.get(), 2);
    }

    #[tokio::test]
    async fn a_notification_arrives() {
        let notify = Arc::new(Notify::new());
        let other = Arc::clone(&notify);
        let thread = std::thread::spawn(move || other.notify_one());
        notify.notified().await;
        thread.join().unwrap();
    }

    #[test]
    fn a_thread_counts_beside_a_timer() {
        let visits = Arc::new(Visits::default());
        let other = Arc::clone(&visits);
        let thread = std::thread::spawn(move || other.add());
        async_io::block_on(async {
            visits.add();
            async_io::Timer::after(Duration::from_secs(3600)).await;
        });
        thread.join().unwrap();
        assert_eq!(visits.get(), 2);
    }

    #[tokio::test]
    async fn half_of_a_message_is_a_message() {
        let (mut reader, writer) = UnixStream::pair().unwrap();
        let thread = std::thread::spawn(move || {
            for byte in [1, 2] {
                writer.try_write(&[byte]).unwrap();
            }
            writer
        });
        let mut message = [0; 2];
        reader.read_exact(&mut message).await.unwrap();
        let mut writer = thread.join().unwrap();
        writer.shutdown().await.unwrap();
        assert_eq!(message, [1, 2]);
    }

    #[tokio::test]
    async fn an_hour_passes_at_once() {
        let begun = Instant::now();
        sleep(Duration::from_secs(3600)).await;
        let (_sender, mut receiver) = mpsc::channel::<()>(1);
        let waited = timeout(Duration::from_secs(3600), receiver.recv()).await;
        assert!(waited.is_err());
        assert!(begun.elapsed() >= Duration::from_secs(7200));
    }

    #[tokio::test]
    async fn a_connection_to_itself() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(b"hello").await.unwrap();
        });
        let mut text = String::new();
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.read_to_string(&mut text).await.unwrap();
        server.await.unwrap();
        assert_eq!(text, "hello");
    }

    #[tokio::test]
    async fn no_one_connects() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.accept().await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn descriptors_do_not_run_out() {
        let (mut reader, mut writer) = UnixStream::pair().unwrap();
        let task = tokio::spawn(async move { reader.read_u8().await.unwrap() });
        writer.write_u8(7).await.unwrap();
        assert_eq!(task.await.unwrap(), 7);
    }
}
