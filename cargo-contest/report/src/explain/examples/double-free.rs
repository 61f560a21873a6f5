//! Two threads both believe to have taken the value out.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

pub struct Slot {
    value: AtomicPtr<u64>,
}

impl Slot {
    pub fn new() -> Self {
        let value = AtomicPtr::new(Box::into_raw(Box::new(7)));
        Self { value }
    }

    pub fn clear(&self) {
        let value = self.value.load(Ordering::Acquire);
        if !value.is_null() {
            self.value.store(ptr::null_mut(), Ordering::Release);
            // SAFETY: wrong, two threads can have loaded it. Fix: `swap` in place of `load` and `store`.
            drop(unsafe { Box::from_raw(value) });
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.clear();
    }
}
