//! Prints without end.

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

    /// Prints a lot, to both streams.
    pub fn chat(&self) -> u32 {
        for _ in 0..1_000 {
            println!("{}", "out ".repeat(300));
            eprintln!("{}", "err ".repeat(300));
        }
        self.count.load(SeqCst)
    }
}
