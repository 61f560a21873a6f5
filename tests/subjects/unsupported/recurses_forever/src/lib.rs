//! Overflows the stack.

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

    /// Never comes back.
    #[allow(unconditional_recursion)]
    pub fn down(&self, depth: u64) -> u64 {
        let frame = [std::hint::black_box(depth); 64];
        self.down(frame[std::hint::black_box(1)].wrapping_add(1)) + frame[std::hint::black_box(2)]
    }
}
