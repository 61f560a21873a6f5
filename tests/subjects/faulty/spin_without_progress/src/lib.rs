//! Two sides that each wait politely for the other, for ever.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};

/// A narrow bridge with two ends.
#[derive(Debug, Default)]
pub struct Bridge {
    from_left: AtomicBool,
    from_right: AtomicBool,
    crossed: AtomicU32,
}

impl Bridge {
    /// An empty bridge.
    pub fn new() -> Self {
        Self::default()
    }

    /// Crosses from the left.
    pub fn cross_from_left(&self) {
        self.from_left.store(true, SeqCst);
        while self.from_right.load(SeqCst) {
            std::hint::spin_loop();
        }
        self.crossed.fetch_add(1, SeqCst);
        self.from_left.store(false, SeqCst);
    }

    /// Crosses from the right.
    pub fn cross_from_right(&self) {
        self.from_right.store(true, SeqCst);
        while self.from_left.load(SeqCst) {
            std::hint::spin_loop();
        }
        self.crossed.fetch_add(1, SeqCst);
        self.from_right.store(false, SeqCst);
    }

    /// How many crossed.
    pub fn crossed(&self) -> u32 {
        self.crossed.load(SeqCst)
    }
}
