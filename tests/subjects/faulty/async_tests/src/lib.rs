//! Tests of asynchronous code, on runtimes with threads, timers and a poll of the system. Each passes by luck.

use std::sync::atomic::{AtomicU32, Ordering};

/// Counts visits.
#[derive(Debug, Default)]
pub struct Visits(AtomicU32);

impl Visits {
    /// One more.
    pub fn add(&self) {
        let before = self.0.load(Ordering::SeqCst);
        self.0.store(before + 1, Ordering::SeqCst);
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
    use tokio::net::UnixStream;
    use tokio::sync::Notify;

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
    async fn a_notification_arrives() {
        let notify = Arc::new(Notify::new());
        let other = Arc::clone(&notify);
        let thread = std::thread::spawn(move || other.notify_waiters());
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
        let length = reader.read(&mut message).await.unwrap();
        writer_is_done(thread.join().unwrap()).await;
        assert_eq!(length, 2);
    }

    async fn writer_is_done(mut writer: UnixStream) {
        writer.shutdown().await.unwrap();
    }
}
