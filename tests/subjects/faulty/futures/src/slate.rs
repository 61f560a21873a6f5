//! A slate that tasks look at.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

/// Something is written on it, at some time.
#[derive(Debug, Default)]
pub struct Slate {
    is_written: AtomicBool,
}

impl Slate {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes on it.
    pub fn write(&self) {
        self.is_written.store(true, Ordering::SeqCst);
    }

    /// Waits until something is written on it.
    pub async fn written(&self) {
        // BUG: nothing wakes who waits.
        poll_fn(|_| match self.is_written.load(Ordering::SeqCst) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }
}
