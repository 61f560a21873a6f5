//! What ThreadSanitizer's tests (`compiler-rt/test/tsan`) have, and the shapes that its users meet.

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, RwLock};

use crate::{Place, Ticket};

/// A flag that looks harmless.
#[derive(Default)]
pub struct BenignFlag {
    stop: Place<bool>,
    once: Ticket,
}

impl BenignFlag {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn stop(&self) {
        if self.once.take() {
            unsafe { *self.stop.at() = true }; // data-race: BenignFlag
        }
    }

    pub fn poll(&self) {
        std::hint::black_box(unsafe { *self.stop.at() }); // data-race: BenignFlag
    }
}

/// A box is handed to others without release: what its maker wrote may not be there yet.
pub struct PublishedRelaxed {
    current: AtomicPtr<u64>,
    once: Ticket,
}

impl PublishedRelaxed {
    pub fn new() -> Self {
        Self {
            current: AtomicPtr::new(ptr::null_mut()),
            once: Ticket::default(),
        }
    }

    pub fn publish(&self) {
        if self.once.take() {
            let made = Box::into_raw(Box::new(7)); // data-race: PublishedRelaxed
            self.current.store(made, Ordering::Relaxed);
        }
    }

    pub fn get(&self) {
        let current = self.current.load(Ordering::Acquire);
        if !current.is_null() {
            assert!(unsafe { *current } == 7); // data-race: PublishedRelaxed
        }
    }
}

impl Default for PublishedRelaxed {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for PublishedRelaxed {
    fn drop(&mut self) {
        let made = *self.current.get_mut();
        if !made.is_null() {
            drop(unsafe { Box::from_raw(made) });
        }
    }
}

/// Looks without the lock first.
#[derive(Default)]
pub struct DoubleChecked {
    made: Place<bool>,
    lock: Mutex<()>,
}

impl DoubleChecked {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn make(&self) {
        let made = self.made.at();
        let seen = unsafe { *made }; // data-race: DoubleChecked
        if seen {
            return;
        }
        let _guard = self.lock.lock().unwrap();
        if !unsafe { *made } {
            unsafe { *made = true }; // data-race: DoubleChecked
        }
    }
}

/// Writes under a lock that others hold for reading.
#[derive(Default)]
pub struct WriteInReaderLock {
    lock: RwLock<()>,
    value: Place<u64>,
    once: Ticket,
}

impl WriteInReaderLock {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn write(&self) {
        let _guard = self.lock.read().unwrap();
        if self.once.take() {
            unsafe { *self.value.at() = 7 }; // data-race: WriteInReaderLock
        }
    }

    pub fn read(&self) {
        let _guard = self.lock.read().unwrap();
        assert!(unsafe { *self.value.at() } < 100); // data-race: WriteInReaderLock
    }
}

/// Each has a lock, not the same one.
#[derive(Default)]
pub struct OneLockEach {
    locks: [Mutex<()>; 2],
    value: Place<u64>,
}

impl OneLockEach {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn write(&self) {
        let _guard = self.locks[0].lock().unwrap();
        unsafe { *self.value.at() = 7 }; // data-race: OneLockEach
    }

    pub fn read(&self) {
        let _guard = self.locks[1].lock().unwrap();
        assert!(unsafe { *self.value.at() } < 100); // data-race: OneLockEach
    }
}

/// Four bytes that overlap with four others in two, and in no word of eight alone.
#[derive(Default)]
pub struct Overlap {
    bytes: Place<[u64; 2]>,
    one: Ticket,
    two: Ticket,
}

impl Overlap {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn write(&self) {
        if self.one.take() {
            let at = self.bytes.at().cast::<u8>().wrapping_add(6);
            unsafe { at.cast::<u32>().write_unaligned(1) }; // data-race: Overlap
        }
    }

    pub fn write_behind(&self) {
        if self.two.take() {
            let at = self.bytes.at().cast::<u8>().wrapping_add(8);
            unsafe { at.cast::<u32>().write(2) }; // data-race: Overlap
        }
    }
}

/// A copy of many bytes reads the one that another thread writes.
#[derive(Default)]
pub struct CopiedRange {
    bytes: Place<[u64; 16]>,
    once: Ticket,
}

impl CopiedRange {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn copy(&self) {
        let mut copy = [0_u64; 16];
        unsafe { ptr::copy_nonoverlapping(self.bytes.at(), &raw mut copy, 1) }; // data-race: CopiedRange
        std::hint::black_box(copy);
    }

    pub fn write(&self) {
        if self.once.take() {
            let at = self.bytes.at().cast::<u8>().wrapping_add(77);
            unsafe { *at = 1 }; // data-race: CopiedRange
        }
    }
}

static TOTAL: Place<u64> = Place::new(0);

/// What threads share is a static.
#[derive(Default)]
pub struct Global {
    once: Ticket,
}

impl Global {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&self) {
        if self.once.take() {
            unsafe { TOTAL.at().write(1) }; // data-race: Global
        }
    }

    pub fn look(&self) {
        assert!(unsafe { TOTAL.at().read() } < 100); // data-race: Global
    }
}

/// Counts owners down with release, and the last one does not acquire what the others did.
pub struct LastOwner {
    owners: AtomicUsize,
    value: Place<u64>,
}

impl LastOwner {
    pub fn new() -> Self {
        Self {
            owners: AtomicUsize::new(2),
            value: Place::new(7),
        }
    }

    pub fn give_up(&self) {
        if self.owners.load(Ordering::Relaxed) == 0 {
            return;
        }
        std::hint::black_box(unsafe { *self.value.at() }); // data-race: LastOwner
        if self.owners.fetch_sub(1, Ordering::Release) == 1 {
            unsafe { *self.value.at() = 0 }; // data-race: LastOwner
        }
    }
}

impl Default for LastOwner {
    fn default() -> Self {
        Self::new()
    }
}

/// A condition variable orders nothing by itself: the value is written after the lock is given back.
#[derive(Default)]
pub struct LateHandOff {
    full: Mutex<bool>,
    changed: Condvar,
    value: Place<u64>,
    once: Ticket,
}

impl LateHandOff {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn put(&self) {
        if self.once.take() {
            *self.full.lock().unwrap() = true;
            unsafe { *self.value.at() = 7 }; // data-race: LateHandOff
            self.changed.notify_all();
        }
    }

    pub fn take(&self) {
        let mut full = self.full.lock().unwrap();
        while !*full {
            full = self.changed.wait(full).unwrap();
        }
        assert!(unsafe { *self.value.at() } < 100); // data-race: LateHandOff
    }
}

/// A spin lock that is given back without release.
#[derive(Default)]
pub struct SpinUnlockRelaxed {
    locked: AtomicBool,
    value: Place<u64>,
}

impl SpinUnlockRelaxed {
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) {
        while self.locked.swap(true, Ordering::Acquire) {
            std::hint::spin_loop();
        }
    }

    pub fn set(&self) {
        self.lock();
        let value = self.value.at();
        let set = unsafe { value.read_volatile() } == 7; // data-race: SpinUnlockRelaxed
        if !set {
            unsafe { *value = 7 }; // data-race: SpinUnlockRelaxed
        }
        self.locked.store(false, Ordering::Relaxed);
    }
}

/// Acquires if the exchange succeeds, and reads when it fails.
#[derive(Default)]
pub struct FailedExchange {
    state: AtomicUsize,
    value: Place<u64>,
    once: Ticket,
}

impl FailedExchange {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn fill(&self) {
        if self.once.take() {
            unsafe { *self.value.at() = 7 }; // data-race: FailedExchange
            self.state.store(1, Ordering::Release);
        }
    }

    pub fn get(&self) {
        let exchanged = self
            .state
            .compare_exchange(5, 6, Ordering::AcqRel, Ordering::Relaxed);
        if exchanged == Err(1) {
            assert!(unsafe { *self.value.at() } == 7); // data-race: FailedExchange
        }
    }
}

/// Bytes beside each other in one word do not race; the one that both write does.
#[derive(Default)]
pub struct OneByteOfWord {
    bytes: Place<[u8; 8]>,
    one: Ticket,
    two: Ticket,
}

impl OneByteOfWord {
    pub fn new() -> Self {
        Self::default()
    }

    fn byte(&self, index: usize) -> *mut u8 {
        self.bytes.at().cast::<u8>().wrapping_add(index)
    }

    pub fn left(&self) {
        if self.one.take() {
            unsafe { *self.byte(2) = 1 };
            unsafe { *self.byte(3) = 1 }; // data-race: OneByteOfWord
        }
    }

    pub fn right(&self) {
        if self.two.take() {
            unsafe { *self.byte(4) = 1 };
            unsafe { *self.byte(3) = 1 }; // data-race: OneByteOfWord
        }
    }
}
