//! Ends the process.

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

    /// Starts at this number, which must not be 1.
    pub fn starting_at(count: u32) -> Self {
        if count == 1 {
            std::process::exit(8);
        }
        let count = AtomicU32::new(count);
        Self { count }
    }

    /// Adds one.
    pub fn add(&self) -> u32 {
        self.count.fetch_add(1, SeqCst)
    }

    /// Leaves.
    pub fn leave(&self) {
        std::process::exit(7);
    }
}
