//! Three ways to promise `Sync` by hand; one requires too little of what it shares.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

/// Lends its value to many threads at once.
#[derive(Debug, Default)]
pub struct Shelf<T> {
    value: T,
    lent: AtomicBool,
}

// Wrong: `T: Send` lets two threads use a `Cell` at once.
unsafe impl<T: Send> Sync for Shelf<T> {}

impl<T> Shelf<T> {
    pub fn new(value: T) -> Self {
        Self {
            value,
            lent: AtomicBool::new(false),
        }
    }

    pub fn copy(&self) -> T
    where
        T: Clone,
    {
        self.lent.store(true, Ordering::SeqCst);
        self.value.clone() // USE
    }

    pub fn was_lent(&self) -> bool {
        self.lent.load(Ordering::SeqCst)
    }
}

/// As `Shelf`, and requires enough.
#[derive(Debug, Default)]
pub struct Library<T>(Shelf<T>);

unsafe impl<T: Send + Sync> Sync for Library<T> {}

impl<T> Library<T> {
    pub fn new(value: T) -> Self {
        Self(Shelf::new(value))
    }

    pub fn copy(&self) -> T
    where
        T: Clone,
    {
        self.0.copy()
    }
}

/// Lends its value to one thread at a time: `T: Send` is enough.
#[derive(Debug, Default)]
pub struct Spin<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

unsafe impl<T: Send> Sync for Spin<T> {}

impl<T> Spin<T> {
    pub fn new(value: T) -> Self {
        Self {
            taken: AtomicBool::new(false),
            value: UnsafeCell::new(value),
        }
    }

    pub fn copy(&self) -> T
    where
        T: Clone,
    {
        while self.taken.swap(true, Ordering::Acquire) {
            std::hint::spin_loop();
        }
        let copy = unsafe { (*self.value.get()).clone() };
        self.taken.store(false, Ordering::Release);
        copy
    }
}
