//! Both sides wait for the other one to give way, for ever.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

#[derive(Default)]
pub struct Bridge {
    from_left: AtomicBool,
    from_right: AtomicBool,
}

impl Bridge {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn cross_from_left(&self) {
        self.from_left.store(true, SeqCst);
        while self.from_right.load(SeqCst) {
            // Fix: one of the two takes its flag back while it waits.
            std::hint::spin_loop();
        }
        self.from_left.store(false, SeqCst);
    }

    pub fn cross_from_right(&self) {
        self.from_right.store(true, SeqCst);
        while self.from_left.load(SeqCst) {
            std::hint::spin_loop();
        }
        self.from_right.store(false, SeqCst);
    }
}
