//! Only types that cannot be shared between threads.

use std::cell::Cell;

/// A counter for one thread.
#[derive(Debug, Default)]
pub struct LocalCounter {
    count: Cell<u32>,
}

impl LocalCounter {
    /// Starts at 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn add(&self) -> u32 {
        self.count.set(self.count.get() + 1);
        self.count.get()
    }
}
