//! The locks of standard output and standard error, held wrongly.

use std::cell::UnsafeCell;
use std::sync::Mutex;

/// Takes a mutex under the lock of standard output, and the other way round.
#[derive(Default)]
pub struct Crossed {
    number: Mutex<u32>,
}

impl Crossed {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn print(&self) {
        let number = self.number.lock().unwrap();
        println!("{number}");
    }

    pub fn count(&self) {
        let _out = std::io::stdout().lock();
        *self.number.lock().unwrap() += 1;
    }
}

/// A number that one call changes under the lock of the wrong stream.
#[derive(Default)]
pub struct Guarded {
    number: UnsafeCell<u32>,
}

// SAFETY: none, and that is the bug.
unsafe impl Sync for Guarded {}

impl Guarded {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&self) {
        let _out = std::io::stdout().lock();
        // SAFETY: the lock is held.
        unsafe { *self.number.get() ^= 1 };
    }

    pub fn sub(&self) {
        let _out = std::io::stderr().lock();
        // SAFETY: another lock is held.
        unsafe { *self.number.get() ^= 2 };
    }
}
