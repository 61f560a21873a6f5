//! A spin lock that is given back in no order with what it guards.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

struct Guarded {
    held: AtomicBool,
    value: UnsafeCell<u32>,
}

// SAFETY: the value is touched by the thread that holds the lock.
unsafe impl Sync for Guarded {}

impl Guarded {
    fn add(&self) -> u32 {
        while self.held.swap(true, Ordering::Acquire) {
            thread::yield_now();
        }
        // SAFETY: the lock is held.
        let value = unsafe {
            *self.value.get() += 1;
            *self.value.get()
        };
        if cfg!(feature = "mended") {
            self.held.store(false, Ordering::Release);
        } else {
            self.held.store(false, Ordering::Relaxed);
        }
        value
    }
}

#[test]
fn test() {
    let guarded = Arc::new(Guarded { held: AtomicBool::new(false), value: UnsafeCell::new(0) });
    let other = Arc::clone(&guarded);
    let second = thread::spawn(move || other.add());
    let first = guarded.add();
    assert_eq!(first + second.join().unwrap(), 3);
}
