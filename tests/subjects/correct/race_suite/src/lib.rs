//! Cases of the suites of other race detectors in which everything is ordered, each a type of its own. `README.md` says which case each
//! type stands for.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

mod atomics;
mod locks;
mod threads;

pub use atomics::*;
pub use locks::*;
pub use threads::*;

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

/// Lets one call through, and orders nothing.
#[derive(Default)]
struct Ticket(AtomicBool);

impl Ticket {
    fn take(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }
}
