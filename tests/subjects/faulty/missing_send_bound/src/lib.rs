//! Three ways to promise `Sync` by hand; one requires too little of what it takes.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Takes values of any thread, one thread at a time.
#[derive(Debug, Default)]
pub struct Bag<T> {
    taken: AtomicBool,
    values: UnsafeCell<Vec<T>>,
}

// Wrong: with `T: Sync`, a `MutexGuard` of one thread is dropped by another one.
unsafe impl<T: Sync> Sync for Bag<T> {}

impl<T> Bag<T> {
    pub fn new() -> Self {
        Self {
            taken: AtomicBool::new(false),
            values: UnsafeCell::new(Vec::new()),
        }
    }

    pub fn put(&self, value: T) {
        self.locked(|values| values.push(value));
    }

    pub fn count(&self) -> usize {
        self.locked(|values| values.len())
    }

    fn locked<R>(&self, f: impl FnOnce(&mut Vec<T>) -> R) -> R {
        while self.taken.swap(true, Ordering::Acquire) {
            std::hint::spin_loop();
        }
        let result = f(unsafe { &mut *self.values.get() });
        self.taken.store(false, Ordering::Release);
        result
    }
}

impl<T> Drop for Bag<T> {
    fn drop(&mut self) {
        self.values.get_mut().clear(); // DROP
    }
}

/// As `Bag`, and requires enough.
#[derive(Debug, Default)]
pub struct Bin<T>(Bag<T>);

unsafe impl<T: Send> Sync for Bin<T> {}

impl<T> Bin<T> {
    pub fn new() -> Self {
        Self(Bag::new())
    }

    pub fn put(&self, value: T) {
        self.0.put(value);
    }

    pub fn count(&self) -> usize {
        self.0.count()
    }
}

/// Shows its value and takes none: `T: Sync` is enough.
#[derive(Debug)]
pub struct Window<T> {
    value: UnsafeCell<T>,
    looks: AtomicUsize,
}

unsafe impl<T: Sync> Sync for Window<T> {}

impl<T> Window<T> {
    pub fn new(value: T) -> Self {
        Self {
            value: UnsafeCell::new(value),
            looks: AtomicUsize::new(0),
        }
    }

    pub fn copy(&self) -> T
    where
        T: Clone,
    {
        self.looks.fetch_add(1, Ordering::Relaxed);
        unsafe { (*self.value.get()).clone() }
    }

    pub fn show(&self) -> &T {
        self.looks.fetch_add(1, Ordering::Relaxed);
        unsafe { &*self.value.get() }
    }

    pub fn looks(&self) -> usize {
        self.looks.load(Ordering::Relaxed)
    }
}
