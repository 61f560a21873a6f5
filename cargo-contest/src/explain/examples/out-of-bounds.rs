//! The index is checked, and then another thread uses the last place.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::SeqCst};

const PLACES: usize = 2;

pub struct Visits {
    next: AtomicUsize,
    seen: *mut u8,
}

// SAFETY: the bytes are accessed as atomics only.
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
            unsafe { AtomicU8::from_ptr(self.seen.add(at)) }.store(1, SeqCst);
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
