//! A reader adds up two counters, one after the other, while a transfer is between them.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

#[derive(Debug)]
pub struct Seats {
    free: AtomicU32,
    taken: AtomicU32,
}

impl Seats {
    pub fn new() -> Self {
        Self {
            free: AtomicU32::new(10),
            taken: AtomicU32::new(0),
        }
    }

    pub fn take(&self) {
        self.free.fetch_sub(1, SeqCst);
        self.taken.fetch_add(1, SeqCst);
    }

    pub fn all(&self) -> u32 {
        // Another thread takes a seat between the two. Fix: both numbers in one atomic, or one lock round both.
        self.free.load(SeqCst) + self.taken.load(SeqCst)
    }
}
