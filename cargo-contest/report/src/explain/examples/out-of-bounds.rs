//! The index is checked, and then another thread uses the last place.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

const PLACES: usize = 2;

pub struct Visits {
    next: AtomicUsize,
    seen: *mut u8,
}

// SAFETY: each byte is written by one thread.
unsafe impl Send for Visits {}
// SAFETY: as above.
unsafe impl Sync for Visits {}

impl Visits {
    pub fn new() -> Self {
        // SAFETY: the layout has a size.
        let seen = unsafe { alloc_zeroed(layout()) };
        let next = AtomicUsize::new(1);
        Self { next, seen }
    }

    pub fn visit(&self) {
        if self.next.load(SeqCst) < PLACES {
            let at = self.next.fetch_add(1, SeqCst);
            // SAFETY: wrong, the value may have grown since the check. Fix: check `at`.
            unsafe { self.seen.add(at).write(1) };
        }
    }
}

impl Drop for Visits {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.seen, layout()) }
    }
}

fn layout() -> Layout {
    Layout::array::<u8>(PLACES).expect("it is small")
}
