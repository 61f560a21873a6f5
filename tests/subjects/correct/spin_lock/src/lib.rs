//! A spin lock: the loop waits for a change that the holder makes.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};

/// A narrow bridge for one at a time.
#[derive(Debug, Default)]
pub struct Bridge {
    taken: AtomicBool,
    crossed: AtomicU32,
}

impl Bridge {
    /// An empty bridge.
    pub fn new() -> Self {
        Self::default()
    }

    /// Crosses when it is free.
    pub fn cross(&self) {
        while self.taken.swap(true, SeqCst) {
            std::hint::spin_loop();
        }
        let crossed = self.crossed.load(SeqCst);
        self.crossed.store(crossed + 1, SeqCst);
        self.taken.store(false, SeqCst);
    }

    /// How many crossed.
    pub fn crossed(&self) -> u32 {
        self.crossed.load(SeqCst)
    }
}
