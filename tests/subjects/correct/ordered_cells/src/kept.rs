//! Memory that is not freed, by design: some of it still has an owner, some is left behind by the same calls in any order.

use std::cell::RefCell;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Old values, as addresses with a mark in the lowest bit: a thread might still read them.
static RETIRED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// Replaces a value without waiting for its readers.
#[derive(Debug)]
pub struct Deferred {
    current: AtomicPtr<(u64, u64)>,
}

impl Deferred {
    /// With a value.
    pub fn new() -> Self {
        Self {
            current: AtomicPtr::new(Box::into_raw(Box::new((7, 7)))),
        }
    }

    /// Whether both halves are the same.
    pub fn is_whole(&self) -> bool {
        let (left, right) = unsafe { *self.current.load(Ordering::Acquire) };
        left == right
    }

    /// Puts another value in its place.
    pub fn replace(&self) {
        let new = Box::into_raw(Box::new((8, 8)));
        let old = self.current.swap(new, Ordering::AcqRel);
        // The address of the second half, with a mark.
        let half = unsafe { &raw const (*old).1 };
        RETIRED.lock().unwrap().push(half as usize | 1);
    }
}

impl Default for Deferred {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Deferred {
    fn drop(&mut self) {
        drop(unsafe { Box::from_raw(*self.current.get_mut()) });
    }
}

static NAMES: OnceLock<&'static str> = OnceLock::new();

thread_local! {
    static SPARE: RefCell<Vec<Box<u64>>> = const { RefCell::new(Vec::new()) };
}

/// Uses what lives as long as the thread, or the process.
#[derive(Debug, Default)]
pub struct Cached {
    used: AtomicU32,
}

impl Cached {
    /// Not used yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses a box of the thread's own, and gives it back to the thread.
    pub fn use_spare(&self) {
        let spare = SPARE.with(|spare| spare.borrow_mut().pop());
        let spare = spare.unwrap_or_else(|| Box::new(0));
        self.used.fetch_add(1, Ordering::Relaxed);
        SPARE.with(|kept| kept.borrow_mut().push(spare));
    }

    /// Uses a text that is made once and leaked.
    pub fn use_text(&self) -> usize {
        self.used.fetch_add(1, Ordering::Relaxed);
        NAMES.get_or_init(|| String::from("a text").leak()).len()
    }
}

#[derive(Debug)]
struct Link {
    next: Mutex<Option<Arc<Link>>>,
}

/// Leaves memory behind in every order.
#[derive(Debug, Default)]
pub struct Careless {
    calls: AtomicU32,
}

impl Careless {
    /// With no calls.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes an `Arc` that owns itself.
    pub fn knot(&self) {
        let link = Arc::new(Link {
            next: Mutex::new(None),
        });
        *link.next.lock().unwrap() = Some(Arc::clone(&link));
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    /// Forgets a box.
    pub fn forget(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        std::mem::forget(Box::new([0_u64; 5]));
    }
}
