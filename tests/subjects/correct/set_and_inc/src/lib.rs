//! `set` takes the lock that `inc` holds between its read and its write.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::Mutex;

/// A counter.
#[derive(Debug, Default)]
pub struct Counter {
    x: AtomicU32,
    lock: Mutex<()>,
}

impl Counter {
    /// Starts at 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets it.
    pub fn set(&self, n: u32) {
        let _lock = self.lock.lock().unwrap();
        self.x.store(n, SeqCst);
    }

    /// Adds one.
    pub fn inc(&self) {
        let _lock = self.lock.lock().unwrap();
        let x = self.x.load(SeqCst);
        self.x.store(x.wrapping_add(1), SeqCst);
    }

    /// Its value.
    pub fn get(&self) -> u32 {
        self.x.load(SeqCst)
    }
}
