//! Bugs between accesses that no drop-in type makes: plain ones that race and are allowed to, and the counts of an `Arc`.

use std::cell::UnsafeCell;
use std::sync::atomic::{fence, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Two numbers that are always written together, behind a sequence number.
#[derive(Debug, Default)]
pub struct Pair {
    sequence: AtomicUsize,
    left: UnsafeCell<u64>,
    right: UnsafeCell<u64>,
}

// SAFETY: the cells are written by one thread at a time, which the sequence number decides; readers are to look at it again.
unsafe impl Sync for Pair {}

impl Pair {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn set(&self, value: u64) {
        let before = loop {
            let before = self.sequence.load(Ordering::Relaxed);
            let free = before % 2 == 0;
            if free
                && self
                    .sequence
                    .compare_exchange(before, before + 1, Ordering::Acquire, Ordering::Relaxed)
                    .is_ok()
            {
                break before;
            }
            std::hint::spin_loop();
        };
        unsafe {
            self.left.get().write_volatile(value);
            self.right.get().write_volatile(value);
        }
        self.sequence.store(before + 2, Ordering::Release);
    }

    /// The two numbers. The bug: a writer may have come between the reads, which is not checked.
    pub fn get(&self) -> (u64, u64) {
        while self.sequence.load(Ordering::Acquire) % 2 == 1 {
            std::hint::spin_loop();
        }
        let left = unsafe { self.left.get().read_volatile() };
        let right = unsafe { self.right.get().read_volatile() };
        fence(Ordering::Acquire);
        (left, right)
    }
}

/// Two members; the last one to leave learns it.
#[derive(Debug)]
pub struct Group {
    members: Mutex<Vec<Arc<()>>>,
    all: Arc<()>,
}

impl Group {
    pub fn new() -> Self {
        let all = Arc::new(());
        let members = Mutex::new(vec![Arc::clone(&all), Arc::clone(&all)]);
        Self { members, all }
    }

    /// True for the last one. The bug: both may have gone before either looks.
    pub fn leave(&self) -> bool {
        let Some(member) = self.members.lock().unwrap().pop() else {
            return false;
        };
        drop(member);
        Arc::strong_count(&self.all) == 1
    }
}

impl Default for Group {
    fn default() -> Self {
        Self::new()
    }
}
