//! Cells that are shared by hand, each with one mistake.

use std::cell::UnsafeCell;
use std::sync::atomic::{fence, AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};

/// The flag is stored without release.
#[derive(Default)]
pub struct RelaxedFlag {
    ready: AtomicBool,
    taken: AtomicBool,
    value: UnsafeCell<u64>,
}

unsafe impl Sync for RelaxedFlag {}

impl RelaxedFlag {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fills it, once; waits until it is full.
    pub fn fill(&self) {
        if !self.taken.swap(true, Ordering::Relaxed) {
            unsafe { *self.value.get() = 7 }; // RACE RelaxedFlag
            self.ready.store(true, Ordering::Relaxed);
        }
        while !self.ready.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    }

    /// The value, once it is there.
    pub fn get(&self) -> Option<u64> {
        if self.ready.load(Ordering::Acquire) {
            return Some(unsafe { *self.value.get() }); // RACE RelaxedFlag
        }
        None
    }
}

/// A relaxed store of the same thread comes after the release store, and what reads it is not ordered.
#[derive(Default)]
pub struct BrokenSequence {
    state: AtomicUsize,
    taken: AtomicBool,
    value: UnsafeCell<u64>,
}

unsafe impl Sync for BrokenSequence {}

impl BrokenSequence {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fills it, once; waits until it is full.
    pub fn fill(&self) {
        if !self.taken.swap(true, Ordering::Relaxed) {
            unsafe { self.value.get().write(7) }; // RACE BrokenSequence
            self.state.store(1, Ordering::Release);
            self.state.store(2, Ordering::Relaxed);
        }
        while self.state.load(Ordering::Relaxed) != 2 {
            std::hint::spin_loop();
        }
    }

    /// The value, once it is there for good.
    pub fn get(&self) -> Option<u64> {
        if self.state.load(Ordering::Acquire) == 2 {
            return Some(unsafe { self.value.get().read() }); // RACE BrokenSequence
        }
        None
    }
}

/// The fence of the reader comes before its load.
#[derive(Default)]
pub struct EarlyFence {
    ready: AtomicBool,
    taken: AtomicBool,
    value: UnsafeCell<u64>,
}

unsafe impl Sync for EarlyFence {}

impl EarlyFence {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fills it, once; waits until it is full.
    pub fn fill(&self) {
        if !self.taken.swap(true, Ordering::Relaxed) {
            unsafe { *self.value.get() = 7 }; // RACE EarlyFence
            fence(Ordering::Release);
            self.ready.store(true, Ordering::Relaxed);
        }
        while !self.ready.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    }

    /// The value, once it is there.
    pub fn get(&self) -> Option<u64> {
        fence(Ordering::Acquire);
        if self.ready.load(Ordering::Relaxed) {
            return Some(unsafe { *self.value.get() }); // RACE EarlyFence
        }
        None
    }
}

/// Writes with the lock, reads without.
#[derive(Default)]
pub struct UnlockedRead {
    lock: Mutex<()>,
    value: UnsafeCell<u64>,
}

unsafe impl Sync for UnlockedRead {}

impl UnlockedRead {
    /// 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes it 7.
    pub fn set(&self) {
        let _guard = self.lock.lock().unwrap();
        unsafe { *self.value.get() = 7 }; // RACE UnlockedRead
    }

    /// Looks whether it fits.
    pub fn is_small(&self) -> bool {
        unsafe { *self.value.get() < 100 } // RACE UnlockedRead
    }
}

/// Writes under a lock that others hold, too.
#[derive(Default)]
pub struct WriteUnderRead {
    lock: RwLock<()>,
    value: UnsafeCell<u64>,
}

unsafe impl Sync for WriteUnderRead {}

impl WriteUnderRead {
    /// 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes it 7.
    pub fn set(&self) {
        let _guard = self.lock.read().unwrap();
        unsafe { *self.value.get() = 7 }; // RACE WriteUnderRead
    }
}
