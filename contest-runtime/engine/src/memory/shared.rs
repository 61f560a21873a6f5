//! Memory that threads of code under test can share: the arena, the statics of the executable, and, if that is wanted,
//! the stack of the main thread.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::mapping::Region;

/// Writable static data of the executable: first address and length. Set before the snapshot.
static STATICS: (AtomicUsize, AtomicUsize) = (AtomicUsize::new(0), AtomicUsize::new(0));

/// The stack of the main virtual thread of an execution in which others are expected to use what is on it: lowest
/// address and length. Put back after the execution.
static MAIN_STACK: (AtomicUsize, AtomicUsize) = (AtomicUsize::new(0), AtomicUsize::new(0));

/// In this execution, threads share what is on this stack.
pub(crate) fn set_main_stack(limit: usize, end: usize) {
    MAIN_STACK.0.store(limit, Relaxed);
    MAIN_STACK.1.store(end - limit, Relaxed);
}

/// From here on static data is known to be there.
pub(crate) fn set_statics(start: usize, end: usize) {
    STATICS.0.store(start, Relaxed);
    STATICS.1.store(end - start, Relaxed);
}

/// Where static data begins, and its length; of length 0 before it is known.
#[inline]
pub(crate) fn statics() -> (usize, usize) {
    (STATICS.0.load(Relaxed), STATICS.1.load(Relaxed))
}

/// True if threads of code under test can share what is at this address.
#[inline]
pub(crate) fn is_shared(address: usize) -> bool {
    let (start, length) = statics();
    Region::contains(address)
        || address.wrapping_sub(start) < length
        || address.wrapping_sub(MAIN_STACK.0.load(Relaxed)) < MAIN_STACK.1.load(Relaxed)
}
