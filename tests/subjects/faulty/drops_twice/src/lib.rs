//! A value in memory that the type manages itself.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Holds a value until it is cleared.
pub struct Slot<T> {
    full: AtomicBool,
    value: UnsafeCell<MaybeUninit<T>>,
}

unsafe impl<T: Send> Send for Slot<T> {}
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T> Slot<T> {
    pub fn new(value: T) -> Self {
        Self {
            full: AtomicBool::new(true),
            value: UnsafeCell::new(MaybeUninit::new(value)),
        }
    }

    /// Drops the value.
    pub fn clear(&self) {
        if self.full.load(Ordering::SeqCst) {
            self.full.store(false, Ordering::SeqCst);
            unsafe { (*self.value.get()).assume_init_drop() };
        }
    }

    pub fn is_full(&self) -> bool {
        self.full.load(Ordering::SeqCst)
    }
}

impl<T> Drop for Slot<T> {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Several values.
#[derive(Debug, Default)]
pub struct Drawer<T>(Mutex<Vec<T>>);

impl<T> Drawer<T> {
    pub fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    pub fn put(&self, value: T) {
        self.0.lock().unwrap().push(value);
    }

    pub fn take(&self) -> Option<T> {
        self.0.lock().unwrap().pop()
    }
}
