//! A count is lowered and then looked at, in two steps.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

struct Shared {
    owners: AtomicUsize,
    value: u64,
}

struct Handle(*mut Shared);

// SAFETY: the value is only read, and the count is atomic.
unsafe impl Send for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: this owner is still counted.
        let owners = unsafe { &(*self.0).owners };
        let last = if cfg!(feature = "mended") {
            owners.fetch_sub(1, Ordering::AcqRel) == 1
        } else {
            owners.fetch_sub(1, Ordering::AcqRel);
            owners.load(Ordering::Acquire) == 0
        };
        if last {
            // SAFETY: no other owner is left.
            drop(unsafe { Box::from_raw(self.0) });
        }
    }
}

#[test]
fn test() {
    let shared = Box::into_raw(Box::new(Shared { owners: AtomicUsize::new(2), value: 5 }));
    let (mine, other) = (Handle(shared), Handle(shared));
    let thread = thread::spawn(move || {
        let other = other;
        // SAFETY: an owner keeps it alive.
        unsafe { (*other.0).value }
    });
    drop(mine);
    assert_eq!(thread.join().unwrap(), 5);
}
