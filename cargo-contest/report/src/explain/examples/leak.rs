//! Two threads make the value; only one of the two is kept.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

#[derive(Default)]
pub struct Lazy {
    value: AtomicPtr<u64>,
}

impl Lazy {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn make(&self) {
        if self.value.load(Ordering::Acquire).is_null() {
            let new = Box::into_raw(Box::new(7));
            // What another thread has stored meanwhile is lost. Fix: `compare_exchange`, and free `new` if it fails.
            self.value.store(new, Ordering::Release);
        }
    }
}

impl Drop for Lazy {
    fn drop(&mut self) {
        let value = *self.value.get_mut();
        if value != ptr::null_mut() {
            // SAFETY: made by `Box::into_raw`, and there is no other owner.
            drop(unsafe { Box::from_raw(value) });
        }
    }
}
