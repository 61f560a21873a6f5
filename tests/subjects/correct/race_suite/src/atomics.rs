//! Ordered by atomics and fences, or no conflict at all.

use std::ptr;
use std::sync::atomic::{fence, AtomicBool, AtomicPtr, AtomicU16, AtomicU8, AtomicUsize, Ordering};

use crate::{Place, Ticket};

/// Two fences around relaxed operations.
#[derive(Default)]
pub struct Fences {
    ready: AtomicUsize,
    value: Place<u32>,
    once: Ticket,
}

impl Fences {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn fill(&self) {
        if self.once.take() {
            unsafe { *self.value.at() = 1 };
            fence(Ordering::Release);
            self.ready.store(1, Ordering::Relaxed);
        }
    }

    pub fn get(&self) {
        if self.ready.load(Ordering::Relaxed) == 1 {
            fence(Ordering::Acquire);
            assert_eq!(unsafe { *self.value.at() }, 1);
        }
    }
}

/// No thread writes.
pub struct Readers {
    value: Place<u32>,
}

impl Readers {
    pub fn new() -> Self {
        Self {
            value: Place::new(42),
        }
    }

    pub fn read(&self) -> u32 {
        unsafe { *self.value.at() }
    }

    pub fn read_bytes(&self) -> u8 {
        unsafe { *self.value.at().cast::<u8>() }
    }
}

impl Default for Readers {
    fn default() -> Self {
        Self::new()
    }
}

/// A relaxed read-modify-write of another thread continues the release sequence.
#[derive(Default)]
pub struct SwapContinues {
    state: AtomicUsize,
    value: Place<u32>,
    once: Ticket,
}

impl SwapContinues {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn fill(&self) {
        if self.once.take() {
            unsafe { *self.value.at() = 1 };
            self.state.store(1, Ordering::Release);
        }
    }

    pub fn swap(&self) {
        let _ = self
            .state
            .compare_exchange(1, 2, Ordering::Relaxed, Ordering::Relaxed);
    }

    pub fn get(&self) {
        if self.state.load(Ordering::Acquire) != 0 {
            assert_eq!(unsafe { *self.value.at() }, 1);
        }
    }
}

/// A chain of relaxed increments behind a release.
#[derive(Default)]
pub struct Chain {
    steps: AtomicUsize,
    value: Place<u32>,
    once: Ticket,
}

impl Chain {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn fill(&self) {
        if self.once.take() {
            unsafe { *self.value.at() = 1 };
            self.steps.fetch_add(100, Ordering::Release);
        }
    }

    pub fn step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    pub fn get(&self) {
        if self.steps.load(Ordering::Acquire) >= 100 {
            assert_eq!(unsafe { *self.value.at() }, 1);
        }
    }
}

/// Release and acquire.
#[derive(Default)]
pub struct Handed {
    state: AtomicUsize,
    value: Place<u32>,
    once: Ticket,
}

impl Handed {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn fill(&self) {
        if self.once.take() {
            unsafe { *self.value.at() = 1 };
            self.state.store(1, Ordering::Release);
        }
    }

    /// Takes it to read it, and gives it back.
    pub fn get(&self) {
        if self.takes() {
            assert!(unsafe { *self.value.at() } > 0);
            self.state.store(1, Ordering::Release);
        }
    }

    /// Takes it to change it, and gives it back.
    pub fn change(&self) {
        if self.takes() {
            unsafe { *self.value.at() += 1 };
            self.state.store(1, Ordering::Release);
        }
    }

    fn takes(&self) -> bool {
        self.state
            .compare_exchange(1, 2, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }
}

/// A plain read beside atomic loads is none of a race, and an exchange that fails is a load.
#[derive(Default)]
pub struct LoadsOnly {
    value: AtomicU16,
}

impl LoadsOnly {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn load(&self) -> u16 {
        self.value.load(Ordering::SeqCst)
    }

    pub fn read(&self) -> u16 {
        unsafe { self.value.as_ptr().read() }
    }

    pub fn fail(&self) -> bool {
        self.value
            .compare_exchange(1, 2, Ordering::SeqCst, Ordering::SeqCst)
            .is_err()
    }

    /// Half of it.
    pub fn load_half(&self) -> u8 {
        let half: &AtomicU8 = unsafe { AtomicU8::from_ptr(self.value.as_ptr().cast()) };
        half.load(Ordering::SeqCst)
    }
}

/// The only one who writes an atomic may read it plainly.
#[derive(Default)]
pub struct OwnReads {
    position: AtomicUsize,
    cells: [Place<u8>; 4],
    once: Ticket,
}

impl OwnReads {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn send(&self) {
        if self.once.take() {
            for (at, cell) in self.cells.iter().enumerate() {
                unsafe { cell.at().write(1) };
                self.position.store(at + 1, Ordering::Release);
                assert_eq!(unsafe { self.position.as_ptr().read() }, at + 1);
            }
        }
    }

    pub fn receive(&self) {
        let filled = self.position.load(Ordering::Acquire);
        for cell in &self.cells[..filled] {
            assert_eq!(unsafe { cell.at().read() }, 1);
        }
    }
}

/// An exchange that fails is relaxed, and a fence after it acquires.
#[derive(Default)]
pub struct FailsThenFence {
    state: AtomicUsize,
    value: Place<u32>,
    once: Ticket,
}

impl FailsThenFence {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn fill(&self) {
        if self.once.take() {
            unsafe { *self.value.at() = 1 };
            self.state.store(1, Ordering::Release);
        }
    }

    pub fn get(&self) {
        let exchanged = self
            .state
            .compare_exchange(5, 6, Ordering::Relaxed, Ordering::Relaxed);
        if exchanged == Err(1) {
            fence(Ordering::Acquire);
            assert_eq!(unsafe { *self.value.at() }, 1);
        }
    }
}

/// Owners are counted; the last one acquires what the others have released, and frees.
pub struct LastOwner {
    owners: AtomicUsize,
    tickets: [Ticket; 2],
    value: AtomicPtr<u64>,
}

impl LastOwner {
    pub fn new() -> Self {
        Self {
            owners: AtomicUsize::new(2),
            tickets: Default::default(),
            value: AtomicPtr::new(Box::into_raw(Box::new(7))),
        }
    }

    pub fn give_up(&self) {
        if !self.tickets.iter().any(Ticket::take) {
            return;
        }
        let value = self.value.load(Ordering::Relaxed);
        assert_eq!(unsafe { *value }, 7);
        if self.owners.fetch_sub(1, Ordering::Release) == 1 {
            fence(Ordering::Acquire);
            self.value.store(ptr::null_mut(), Ordering::Relaxed);
            drop(unsafe { Box::from_raw(value) });
        }
    }
}

impl Default for LastOwner {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for LastOwner {
    fn drop(&mut self) {
        let value = *self.value.get_mut();
        if !value.is_null() {
            drop(unsafe { Box::from_raw(value) });
        }
    }
}

/// Bytes beside each other in one word.
#[derive(Default)]
pub struct Neighbours {
    bytes: Place<[u8; 16]>,
    one: Ticket,
    two: Ticket,
}

impl Neighbours {
    pub fn new() -> Self {
        Self::default()
    }

    fn byte(&self, index: usize) -> *mut u8 {
        self.bytes.at().cast::<u8>().wrapping_add(index)
    }

    pub fn left(&self) {
        if self.one.take() {
            unsafe { *self.byte(2) = 1 };
            unsafe { self.byte(5).cast::<u32>().write_unaligned(1) };
        }
    }

    pub fn right(&self) {
        if self.two.take() {
            unsafe { *self.byte(4) = 1 };
            unsafe { self.byte(9).cast::<u32>().write_unaligned(1) };
        }
    }
}

/// A spin lock.
#[derive(Default)]
pub struct Spin {
    locked: AtomicBool,
    value: Place<u64>,
}

impl Spin {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&self) -> u64 {
        while self.locked.swap(true, Ordering::Acquire) {
            std::hint::spin_loop();
        }
        let value = self.value.at();
        unsafe { *value += 1 };
        let now = unsafe { *value };
        self.locked.store(false, Ordering::Release);
        now
    }
}
