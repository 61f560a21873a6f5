use std::future::poll_fn;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Waker};

/// A gate that tasks wait for.
#[derive(Debug, Default)]
pub struct Gate {
    open: AtomicBool,
    waiting: Mutex<Option<Waker>>,
}

impl Gate {
    /// Closed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens the gate for good.
    pub fn open(&self) {
        self.open.store(true, Ordering::SeqCst);
        if let Some(waker) = self.waiting.lock().unwrap().take() {
            waker.wake();
        }
    }

    /// Waits until the gate is open.
    pub async fn pass(&self) {
        poll_fn(|context| {
            if self.open.load(Ordering::SeqCst) {
                return Poll::Ready(());
            }
            // The gate may be opened here, and nothing looks again.
            *self.waiting.lock().unwrap() = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}
