//! Cases of the suites of other race detectors, each a type of its own with one mistake. `README.md` says which case each type stands for.
//!
//! A line that ends in `// data-race: Type` (or another kind) is one of those that the finding of the type must name.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

mod from_miri;
mod from_thread_sanitizer;
mod unusual_accesses;
mod seqlock;
mod unseen;

pub use from_miri::*;
pub use from_thread_sanitizer::*;
pub use unusual_accesses::*;
pub use seqlock::SeqLock;
pub use unseen::ByAssembly;

/// A place that threads share by hand.
#[derive(Default)]
struct Place<T>(UnsafeCell<T>);

unsafe impl<T> Sync for Place<T> {}
unsafe impl<T> Send for Place<T> {}

impl<T> Place<T> {
    const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    fn at(&self) -> *mut T {
        self.0.get()
    }
}

/// Lets one call through, and orders nothing: a line that must run once cannot race with itself.
#[derive(Default)]
struct Ticket(AtomicBool);

impl Ticket {
    fn take(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }
}
