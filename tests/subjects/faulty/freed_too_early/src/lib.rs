//! Boxes behind an atomic pointer.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Frees the old value at once.
pub struct Replaced {
    current: AtomicPtr<u64>,
}

impl Replaced {
    /// With a value.
    pub fn new() -> Self {
        Self {
            current: AtomicPtr::new(Box::into_raw(Box::new(7))),
        }
    }

    /// Looks whether there is a value at all.
    pub fn get(&self) -> bool {
        let current = self.current.load(Ordering::Acquire);
        unsafe { *current < 100 } // USE
    }

    /// Puts another value in its place.
    pub fn replace(&self) {
        let new = Box::into_raw(Box::new(8));
        let old = self.current.swap(new, Ordering::AcqRel);
        drop(unsafe { Box::from_raw(old) }); // FREE
    }
}

impl Default for Replaced {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Replaced {
    fn drop(&mut self) {
        drop(unsafe { Box::from_raw(*self.current.get_mut()) });
    }
}

/// Looks and takes in two steps.
pub struct Emptied {
    current: AtomicPtr<u64>,
}

impl Emptied {
    /// With a value.
    pub fn new() -> Self {
        Self {
            current: AtomicPtr::new(Box::into_raw(Box::new(7))),
        }
    }

    /// Takes the value out, if it is there.
    pub fn empty(&self) {
        let current = self.current.load(Ordering::Acquire);
        if !current.is_null() {
            self.current.store(ptr::null_mut(), Ordering::Release);
            drop(unsafe { Box::from_raw(current) }); // FREE TWICE
        }
    }
}

impl Default for Emptied {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Emptied {
    fn drop(&mut self) {
        let current = *self.current.get_mut();
        if !current.is_null() {
            drop(unsafe { Box::from_raw(current) });
        }
    }
}
