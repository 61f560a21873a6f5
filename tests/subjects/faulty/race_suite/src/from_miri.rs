//! What Miri's `tests/fail/data_race` has.

use std::ptr;
use std::sync::atomic::{fence, AtomicPtr, AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread;

use crate::{Place, Ticket};

/// A read and a write.
#[derive(Default)]
pub struct ReadWrite {
    value: Place<u32>,
    once: Ticket,
}

impl ReadWrite {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn read(&self) -> bool {
        unsafe { *self.value.at() < 100 } // data-race: ReadWrite
    }

    pub fn write(&self) {
        if self.once.take() {
            unsafe { *self.value.at() = 64 }; // data-race: ReadWrite
        }
    }
}

/// Two writes.
#[derive(Default)]
pub struct WriteWrite {
    value: Place<u32>,
    one: Ticket,
    two: Ticket,
}

impl WriteWrite {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn write(&self) {
        if self.one.take() {
            unsafe { *self.value.at() = 32 }; // data-race: WriteWrite
        }
    }

    pub fn write_other(&self) {
        if self.two.take() {
            unsafe { *self.value.at() = 64 }; // data-race: WriteWrite
        }
    }
}

/// A plain write of an atomic that is loaded.
#[derive(Default)]
pub struct LoadAndPlainWrite {
    value: AtomicUsize,
    once: Ticket,
}

impl LoadAndPlainWrite {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn load(&self) -> bool {
        self.value.load(Ordering::SeqCst) < 100 // data-race: LoadAndPlainWrite
    }

    pub fn write(&self) {
        if self.once.take() {
            unsafe { *self.value.as_ptr() = 32 }; // data-race: LoadAndPlainWrite
        }
    }
}

/// A plain read of an atomic that is stored to.
#[derive(Default)]
pub struct StoreAndPlainRead {
    value: AtomicUsize,
}

impl StoreAndPlainRead {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn store(&self) {
        self.value.store(32, Ordering::SeqCst); // data-race: StoreAndPlainRead
    }

    pub fn read(&self) -> bool {
        unsafe { *self.value.as_ptr() < 100 } // data-race: StoreAndPlainRead
    }
}

/// A plain write of an atomic that is stored to.
#[derive(Default)]
pub struct StoreAndPlainWrite {
    value: AtomicUsize,
    once: Ticket,
}

impl StoreAndPlainWrite {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn store(&self) {
        self.value.store(64, Ordering::SeqCst); // data-race: StoreAndPlainWrite
    }

    pub fn write(&self) {
        if self.once.take() {
            unsafe { *self.value.as_ptr() = 32 }; // data-race: StoreAndPlainWrite
        }
    }
}

/// A thread that is never joined writes, and so does a call.
#[derive(Default)]
pub struct Dangling {
    value: Arc<Place<u32>>,
    one: Ticket,
    two: Ticket,
}

impl Dangling {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn start(&self) {
        if self.one.take() {
            let value = Arc::clone(&self.value);
            drop(thread::spawn(move || {
                unsafe { *value.at() = 32 }; // data-race: Dangling
            }));
        }
    }

    pub fn write(&self) {
        if self.two.take() {
            unsafe { *self.value.at() = 64 }; // data-race: Dangling
        }
    }
}

/// Two threads that are never joined; one that is joined between their starts orders nothing.
#[derive(Default)]
pub struct DanglingBoth {
    value: Arc<Place<u32>>,
    once: Ticket,
}

impl DanglingBoth {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn start(&self) {
        if self.once.take() {
            let value = Arc::clone(&self.value);
            drop(thread::spawn(move || {
                unsafe { *value.at() = 32 }; // data-race: DanglingBoth
            }));
            thread::spawn(|| ()).join().unwrap();
            let value = Arc::clone(&self.value);
            drop(thread::spawn(move || {
                unsafe { *value.at() = 64 }; // data-race: DanglingBoth
            }));
        }
    }
}

/// Other threads were joined before.
#[derive(Default)]
pub struct AfterJoins {
    value: Place<u32>,
    one: Ticket,
    two: Ticket,
}

impl AfterJoins {
    pub fn new() -> Self {
        let threads = [thread::spawn(|| ()), thread::spawn(|| ())];
        for thread in threads {
            thread.join().unwrap();
        }
        Self::default()
    }

    pub fn write(&self) {
        if self.one.take() {
            unsafe { *self.value.at() = 32 }; // data-race: AfterJoins
        }
    }

    pub fn write_other(&self) {
        if self.two.take() {
            unsafe { *self.value.at() = 64 }; // data-race: AfterJoins
        }
    }
}

/// The fence comes before the load that it should strengthen.
#[derive(Default)]
pub struct FenceBeforeLoad {
    ready: AtomicUsize,
    value: Place<u32>,
    one: Ticket,
    two: Ticket,
}

impl FenceBeforeLoad {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn fill(&self) {
        if self.one.take() {
            unsafe { *self.value.at() = 1 }; // data-race: FenceBeforeLoad
            self.ready.store(1, Ordering::SeqCst);
        }
    }

    pub fn change(&self) {
        fence(Ordering::SeqCst);
        if self.ready.load(Ordering::Relaxed) == 1 && self.two.take() {
            unsafe { *self.value.at() = 2 }; // data-race: FenceBeforeLoad
        }
    }
}

/// Freed while another thread reads it.
pub struct FreedBesideRead {
    current: AtomicPtr<u32>,
}

impl FreedBesideRead {
    pub fn new() -> Self {
        Self {
            current: AtomicPtr::new(Box::into_raw(Box::new(7))),
        }
    }

    pub fn read(&self) {
        let current = self.current.load(Ordering::Acquire);
        if !current.is_null() {
            assert!(unsafe { *current } < 100); // use-after-free: FreedBesideRead
        }
    }

    pub fn free(&self) {
        let old = self.current.swap(ptr::null_mut(), Ordering::AcqRel);
        if !old.is_null() {
            drop(unsafe { Box::from_raw(old) }); // use-after-free: FreedBesideRead
        }
    }
}

impl Default for FreedBesideRead {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for FreedBesideRead {
    fn drop(&mut self) {
        let old = *self.current.get_mut();
        if !old.is_null() {
            drop(unsafe { Box::from_raw(old) });
        }
    }
}

/// Freed while another thread writes it.
pub struct FreedBesideWrite {
    current: AtomicPtr<u32>,
    once: Ticket,
}

impl FreedBesideWrite {
    pub fn new() -> Self {
        Self {
            current: AtomicPtr::new(Box::into_raw(Box::new(7))),
            once: Ticket::default(),
        }
    }

    pub fn write(&self) {
        let current = self.current.load(Ordering::Acquire);
        if !current.is_null() && self.once.take() {
            unsafe { *current = 2 }; // use-after-free: FreedBesideWrite
        }
    }

    pub fn free(&self) {
        let old = self.current.swap(ptr::null_mut(), Ordering::AcqRel);
        if !old.is_null() {
            drop(unsafe { Box::from_raw(old) }); // use-after-free: FreedBesideWrite
        }
    }
}

impl Default for FreedBesideWrite {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for FreedBesideWrite {
    fn drop(&mut self) {
        let old = *self.current.get_mut();
        if !old.is_null() {
            drop(unsafe { Box::from_raw(old) });
        }
    }
}

/// A relaxed store of the releasing thread itself ends the release sequence, since C++20.
#[derive(Default)]
pub struct OwnStoreEndsSequence {
    state: AtomicUsize,
    value: Place<u32>,
    once: Ticket,
}

impl OwnStoreEndsSequence {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn fill(&self) {
        if self.once.take() {
            unsafe { *self.value.at() = 1 }; // data-race: OwnStoreEndsSequence
            self.state.store(1, Ordering::Release);
            self.state.store(2, Ordering::Relaxed);
        }
    }

    pub fn get(&self) {
        if self.state.load(Ordering::Acquire) == 2 {
            assert!(unsafe { *self.value.at() } < 100); // data-race: OwnStoreEndsSequence
        }
    }
}

/// A third thread passes the news on with a relaxed store. Three threads.
#[derive(Default)]
pub struct PassedOnRelaxed {
    state: AtomicUsize,
    value: Place<u32>,
    once: Ticket,
}

impl PassedOnRelaxed {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn fill(&self) {
        if self.once.take() {
            unsafe { *self.value.at() = 1 }; // data-race: PassedOnRelaxed
            self.state.store(1, Ordering::Release);
        }
    }

    pub fn pass(&self) {
        if self.state.load(Ordering::Acquire) == 1 {
            self.state.store(2, Ordering::Relaxed);
        }
    }

    pub fn get(&self) {
        if self.state.load(Ordering::Acquire) == 2 {
            assert!(unsafe { *self.value.at() } < 100); // data-race: PassedOnRelaxed
        }
    }
}

/// A relaxed store of another thread stands between the release and a later relaxed store of the releasing thread. Three threads.
#[derive(Default)]
pub struct OthersStoreEndsSequence {
    state: AtomicUsize,
    value: Place<u32>,
    once: Ticket,
}

impl OthersStoreEndsSequence {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn fill(&self) {
        if self.once.take() {
            unsafe { *self.value.at() = 1 }; // data-race: OthersStoreEndsSequence
            self.state.store(1, Ordering::Release);
        }
    }

    pub fn disturb(&self) {
        if self.state.load(Ordering::Relaxed) == 1 {
            self.state.store(2, Ordering::Relaxed);
            self.state.store(3, Ordering::Relaxed);
        }
    }

    pub fn get(&self) {
        if self.state.load(Ordering::Acquire) == 3 {
            assert!(unsafe { *self.value.at() } < 100); // data-race: OthersStoreEndsSequence
        }
    }
}

/// A read-modify-write continues the release sequence, and a store after it ends that. Three threads.
#[derive(Default)]
pub struct StoreAfterSwap {
    state: AtomicUsize,
    value: Place<u32>,
    once: Ticket,
}

impl StoreAfterSwap {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn fill(&self) {
        if self.once.take() {
            unsafe { *self.value.at() = 1 }; // data-race: StoreAfterSwap
            self.state.store(1, Ordering::Release);
        }
    }

    pub fn swap(&self) {
        let swapped = self
            .state
            .compare_exchange(1, 2, Ordering::Relaxed, Ordering::Relaxed);
        if swapped.is_ok() {
            self.state.store(3, Ordering::Relaxed);
        }
    }

    pub fn get(&self) {
        if self.state.load(Ordering::Acquire) == 3 {
            assert!(unsafe { *self.value.at() } < 100); // data-race: StoreAfterSwap
        }
    }
}
