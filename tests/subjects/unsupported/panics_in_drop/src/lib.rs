//! Panics when dropped.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// A counter.
#[derive(Debug, Default)]
pub struct Counter {
    count: AtomicU32,
}

impl Counter {
    /// Starts at 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn add(&self) -> u32 {
        self.count.fetch_add(1, SeqCst)
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        panic!("never let go");
    }
}
