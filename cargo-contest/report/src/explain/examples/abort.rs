//! A state that cannot be, as its author thought, ends the process.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

#[derive(Default)]
pub struct Room {
    inside: AtomicU32,
}

impl Room {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn visit(&self) {
        // Fix: a `Mutex` that lets one visitor in at a time.
        if self.inside.fetch_add(1, SeqCst) > 0 {
            std::process::abort();
        }
        self.inside.fetch_sub(1, SeqCst);
    }
}
