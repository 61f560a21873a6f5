//! Reads standard input.

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

    /// Waits for a line.
    pub fn ask(&self) -> usize {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).unwrap_or(0)
    }
}
