//! The types of `faulty-scoped-tests`, mended.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::Mutex;

/// Counts visits.
#[derive(Debug, Default)]
pub struct Visits(AtomicU32);

impl Visits {
    /// One more.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    /// How many.
    pub fn get(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

/// The largest value so far.
#[derive(Debug, Default)]
pub struct Peak(Mutex<u32>);

impl Peak {
    /// Takes the value if it is larger.
    pub fn see(&self, value: u32) {
        let mut peak = self.0.lock().unwrap();
        *peak = value.max(*peak);
    }

    /// The largest one.
    pub fn get(&self) -> u32 {
        *self.0.lock().unwrap()
    }
}

/// A value that is written once, and a flag that says so.
#[derive(Debug, Default)]
pub struct Slot {
    full: AtomicBool,
    value: UnsafeCell<u32>,
}

// SAFETY: the value is written before the flag, and read after it.
unsafe impl Sync for Slot {}

impl Slot {
    /// Fills it, once.
    pub fn put(&self, value: u32) {
        // SAFETY: no reader looks before the flag is set.
        unsafe { *self.value.get() = value };
        self.full.store(true, Ordering::Release);
    }

    /// The value, if it is there.
    pub fn take(&self) -> Option<u32> {
        // SAFETY: it is not written again.
        (self.full.load(Ordering::Acquire)).then(|| unsafe { *self.value.get() })
    }
}

/// Two shelves, each with its lock.
#[derive(Debug, Default)]
pub struct Shelves {
    upper: Mutex<Vec<u32>>,
    lower: Mutex<Vec<u32>>,
}

impl Shelves {
    /// Puts it down.
    pub fn lower(&self, item: u32) {
        let mut upper = self.upper.lock().unwrap();
        let mut lower = self.lower.lock().unwrap();
        upper.retain(|it| *it != item);
        lower.push(item);
    }

    /// Puts it up.
    pub fn lift(&self, item: u32) {
        let mut upper = self.upper.lock().unwrap();
        let mut lower = self.lower.lock().unwrap();
        lower.retain(|it| *it != item);
        upper.push(item);
    }
}
