//! A condition that is set without the lock its waiters check it under.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};

/// A gate that threads wait at until it is opened.
#[derive(Debug, Default)]
pub struct Gate {
    open: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens it. Does not take the lock: that is the bug.
    pub fn open(&self) {
        self.open.store(true, SeqCst);
        self.changed.notify_all();
    }

    /// Waits until it is open.
    pub fn pass(&self) {
        let mut lock = self.lock.lock().unwrap();
        while !self.open.load(SeqCst) {
            lock = self.changed.wait(lock).unwrap();
        }
    }
}
