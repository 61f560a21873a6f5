//! Starts threads and forgets them.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

static BACKGROUND: AtomicU32 = AtomicU32::new(0);

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

    /// Starts a thread that is never joined.
    pub fn start(&self) {
        std::thread::spawn(|| {
            BACKGROUND.fetch_add(1, SeqCst);
        });
    }

    /// Starts a thread that never ends.
    pub fn start_for_ever(&self) {
        std::thread::spawn(|| loop {
            std::thread::park();
        });
    }
}
