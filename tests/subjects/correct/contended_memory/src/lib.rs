//! Accesses that no drop-in type makes, used as they should be: plain ones that race and are allowed to, and the counts of an `Arc`.

use std::cell::UnsafeCell;
use std::sync::atomic::{fence, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};

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

    /// The two numbers.
    pub fn get(&self) -> (u64, u64) {
        loop {
            let before = self.sequence.load(Ordering::Acquire);
            let left = unsafe { self.left.get().read_volatile() };
            let right = unsafe { self.right.get().read_volatile() };
            fence(Ordering::Acquire);
            if before % 2 == 0 && self.sequence.load(Ordering::Relaxed) == before {
                return (left, right);
            }
            std::hint::spin_loop();
        }
    }
}

/// Two members; the last one to leave learns it.
#[derive(Debug)]
pub struct Group {
    members: Mutex<Vec<Arc<()>>>,
}

impl Group {
    pub fn new() -> Self {
        let one = Arc::new(());
        let members = Mutex::new(vec![Arc::clone(&one), one]);
        Self { members }
    }

    /// True for the last one.
    pub fn leave(&self) -> bool {
        let Some(member) = self.members.lock().unwrap().pop() else {
            return false;
        };
        Arc::into_inner(member).is_some()
    }
}

impl Default for Group {
    fn default() -> Self {
        Self::new()
    }
}

/// A value that can be borrowed, and taken away while it is not borrowed.
#[derive(Debug)]
pub struct Lent {
    value: Mutex<Option<Arc<u32>>>,
}

impl Lent {
    pub fn new() -> Self {
        Self {
            value: Mutex::new(Some(Arc::new(7))),
        }
    }

    pub fn look(&self) -> Option<Arc<u32>> {
        self.value.lock().unwrap().clone()
    }

    /// Refuses while a thread holds what `look` returned.
    pub fn take_away(&self) -> Option<u32> {
        let mut value = self.value.lock().unwrap();
        let taken = value.take()?;
        match Arc::try_unwrap(taken) {
            Ok(taken) => Some(taken),
            Err(shared) => {
                *value = Some(shared);
                None
            }
        }
    }
}

impl Default for Lent {
    fn default() -> Self {
        Self::new()
    }
}

/// Values that live as long as they have an owner.
#[derive(Debug)]
pub struct Registry {
    known: Weak<u32>,
    kept: Mutex<Option<Arc<u32>>>,
}

impl Registry {
    pub fn new() -> Self {
        let value = Arc::new(1);
        Self {
            known: Arc::downgrade(&value),
            kept: Mutex::new(Some(value)),
        }
    }

    pub fn close(&self) {
        *self.kept.lock().unwrap() = None;
    }

    /// The value, if it is alive: it is too while another `visit` looks at it.
    pub fn visit(&self) -> Option<u32> {
        let value = self.known.upgrade()?;
        Some(*value)
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}
