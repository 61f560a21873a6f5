//! Orderings that are too weak. Sequentially consistent executions show nothing of it.

use std::cell::UnsafeCell;
use std::sync::atomic::{fence, AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;

/// A value that is published once it is there.
#[derive(Debug, Default)]
pub struct Published {
    value: AtomicU64,
    ready: AtomicBool,
}

impl Published {
    pub fn new() -> Self {
        Self::default()
    }

    /// The bug: nothing orders the store of the value before this one.
    pub fn publish(&self) {
        self.value.store(7, Ordering::Relaxed);
        self.ready.store(true, Ordering::Relaxed);
    }

    pub fn get(&self) -> Option<u64> {
        let ready = self.ready.load(Ordering::Acquire);
        ready.then(|| self.value.load(Ordering::Relaxed))
    }
}

/// Two numbers that are written together, behind a sequence number.
#[derive(Debug, Default)]
pub struct Pair {
    sequence: AtomicUsize,
    left: AtomicU64,
    right: AtomicU64,
}

impl Pair {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn set(&self) {
        let before = self.sequence.load(Ordering::Relaxed);
        let locked = before % 2 == 0
            && (self.sequence)
                .compare_exchange(before, before + 1, Ordering::Acquire, Ordering::Relaxed)
                .is_ok();
        if locked {
            fence(Ordering::Release);
            self.left.store(7, Ordering::Relaxed);
            self.right.store(7, Ordering::Relaxed);
            self.sequence.store(before + 2, Ordering::Release);
        }
    }

    /// Both numbers, unless they were being written. The bug: nothing keeps the reads before the second look at the
    /// sequence number.
    pub fn try_get(&self) -> Option<(u64, u64)> {
        let before = self.sequence.load(Ordering::Acquire);
        let left = self.left.load(Ordering::Relaxed);
        let right = self.right.load(Ordering::Relaxed);
        let after = self.sequence.load(Ordering::Relaxed);
        (before % 2 == 0 && before == after).then_some((left, right))
    }
}

#[derive(Debug, Default)]
struct Section {
    wants: [AtomicBool; 2],
    entries: UnsafeCell<u64>,
}

// SAFETY: the cell is used only by the thread that sees that the other one does not want to enter.
unsafe impl Sync for Section {}

impl Section {
    /// As Dekker: says that it wants to enter, then looks whether the other one does. The bug: the load may come first.
    fn enter(&self, own: usize) -> Option<u64> {
        self.wants[own].store(true, Ordering::Release);
        let free = !self.wants[1 - own].load(Ordering::Acquire);
        let entries = free.then(|| {
            // SAFETY: not so.
            unsafe {
                *self.entries.get() += 1;
                *self.entries.get()
            }
        });
        self.wants[own].store(false, Ordering::Release);
        entries
    }
}

/// One of the two that may enter.
#[derive(Debug)]
pub struct Left(Arc<Section>);

/// The other one.
#[derive(Debug)]
pub struct Right(Arc<Section>);

/// A section for two.
pub fn section() -> (Left, Right) {
    let section = Arc::new(Section::default());
    (Left(section.clone()), Right(section))
}

impl Left {
    pub fn try_enter(&mut self) -> bool {
        self.0.enter(0).is_some()
    }
}

impl Right {
    pub fn try_enter(&mut self) -> bool {
        self.0.enter(1).is_some()
    }
}

#[derive(Debug, Default)]
struct Passage {
    wants: [AtomicBool; 2],
    entries: UnsafeCell<u64>,
}

// SAFETY: the cell is used only by the thread that sees that the other one does not want to enter.
unsafe impl Sync for Passage {}

/// Cheaper than `mfence`, therefore in wide use.
#[cfg(target_arch = "x86_64")]
fn full_fence() {
    let own = UnsafeCell::new(0_usize);
    // SAFETY: changes a local variable.
    unsafe {
        std::arch::asm!("lock not qword ptr [{0}]", in(reg) own.get(), options(nostack, preserves_flags))
    };
}

#[cfg(not(target_arch = "x86_64"))]
fn full_fence() {
    fence(Ordering::SeqCst);
}

impl Passage {
    /// As above, with a fence that is one instruction of x86. The bug: only one of the two has it.
    fn enter(&self, own: usize) -> Option<u64> {
        self.wants[own].store(true, Ordering::Relaxed);
        if own == 0 {
            full_fence();
        }
        let free = !self.wants[1 - own].load(Ordering::Acquire);
        let entries = free.then(|| {
            // SAFETY: not so.
            unsafe {
                *self.entries.get() += 1;
                *self.entries.get()
            }
        });
        self.wants[own].store(false, Ordering::Release);
        entries
    }
}

/// One of the two that may pass.
#[derive(Debug)]
pub struct North(Arc<Passage>);

/// The other one.
#[derive(Debug)]
pub struct South(Arc<Passage>);

/// A passage for two.
pub fn passage() -> (North, South) {
    let passage = Arc::new(Passage::default());
    (North(passage.clone()), South(passage))
}

impl North {
    pub fn try_pass(&mut self) -> bool {
        self.0.enter(0).is_some()
    }
}

impl South {
    pub fn try_pass(&mut self) -> bool {
        self.0.enter(1).is_some()
    }
}
