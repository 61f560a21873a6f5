//! Locks that the engine cannot see.

use std::cell::UnsafeCell;
use std::sync::Mutex;

mod c {
    unsafe extern "C" {
        pub(crate) fn tally_add(by: u32);
        pub(crate) fn tally_total() -> u32;
        pub(crate) fn tally_lock();
        pub(crate) fn tally_try_lock() -> i32;
        pub(crate) fn tally_unlock();
    }
}

/// A place that threads share by hand.
#[derive(Default)]
struct Place(UnsafeCell<u32>);

unsafe impl Sync for Place {}

impl Place {
    fn add(&self) -> u32 {
        unsafe {
            *self.0.get() += 1;
            *self.0.get()
        }
    }
}

/// A counter in C.
#[derive(Default)]
pub struct Tally {
    limit: Mutex<u32>,
}

impl Tally {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&self) {
        unsafe { c::tally_add(1) };
    }

    pub fn total(&self) -> u32 {
        unsafe { c::tally_total() }
    }

    pub fn limit(&self) -> u32 {
        *self.limit.lock().unwrap()
    }
}

/// A value behind a lock in C.
#[derive(Default)]
pub struct BehindC {
    value: Place,
    log: Mutex<u32>,
}

impl BehindC {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&self) -> u32 {
        unsafe { c::tally_lock() };
        let value = self.value.add();
        unsafe { c::tally_unlock() };
        value
    }

    /// Others may run in the middle.
    pub fn add_and_log(&self) -> u32 {
        unsafe { c::tally_lock() };
        let value = self.value.add();
        *self.log.lock().unwrap() += 1;
        unsafe { c::tally_unlock() };
        value
    }
}

/// A value behind a lock in C for which no thread waits.
#[derive(Default)]
pub struct TriedInC {
    value: Place,
    tried: Mutex<u32>,
}

impl TriedInC {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn try_add(&self) -> Option<u32> {
        *self.tried.lock().unwrap() += 1;
        if unsafe { c::tally_try_lock() } == 0 {
            return None;
        }
        let value = self.value.add();
        unsafe { c::tally_unlock() };
        Some(value)
    }
}

/// A value behind a lock in assembly.
#[cfg(target_arch = "x86_64")]
#[derive(Default)]
pub struct BehindAssembly {
    locked: Place,
    value: Place,
}

#[cfg(target_arch = "x86_64")]
impl BehindAssembly {
    pub fn new() -> Self {
        Self::default()
    }

    fn swap(&self, mut flag: u32) -> u32 {
        let place = self.locked.0.get();
        unsafe { std::arch::asm!("xchg dword ptr [{}], {:e}", in(reg) place, inout(reg) flag) };
        flag
    }

    pub fn add(&self) -> u32 {
        while self.swap(1) == 1 {
            std::thread::yield_now();
        }
        let value = self.value.add();
        self.swap(0);
        value
    }
}

/// A value behind nothing.
#[derive(Default)]
pub struct Plain {
    value: Place,
}

impl Plain {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn set(&self) {
        unsafe { *self.value.0.get() = 1 }; // RACE
    }
}
