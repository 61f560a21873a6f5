//! A plain counter behind a shared reference.

use std::cell::UnsafeCell;

#[derive(Default)]
pub struct Hits {
    count: UnsafeCell<u64>,
}

// SAFETY: wrong. Nothing orders the accesses below. Fix: `AtomicU64`.
unsafe impl Sync for Hits {}

impl Hits {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn hit(&self) {
        // SAFETY: wrong, see above.
        unsafe { *self.count.get() += 1 }
    }
}
