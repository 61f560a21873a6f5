//! The driver's memory: which side of the engine's boundary allocates, and isolation of executions from each other.

use std::cell::Cell;

thread_local! {
    static USER_CODE: Cell<bool> = const { Cell::new(false) };
}

/// Says whether code under test runs from here on; returns what it was. The engine calls it at its boundary; the driver's allocator
/// serves code under test from the arena of the execution and everything else from the system.
#[inline]
pub fn set_user_code(on: bool) -> bool {
    USER_CODE.replace(on)
}

/// True while code under test runs.
#[inline]
#[must_use]
pub fn is_user_code() -> bool {
    USER_CODE.get()
}

/// The value of a live atomic of 1, 2, 4 or 8 bytes, as bits; `None` for other sizes.
#[must_use]
pub(crate) fn peek(address: usize, size: u8) -> Option<u64> {
    use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};
    // SAFETY: a thread has published an operation on the atomic at this address and holds a reference to it; sizes are exact.
    unsafe {
        Some(match size {
            1 => u64::from((*(address as *const AtomicU8)).load(Relaxed)),
            2 => u64::from((*(address as *const AtomicU16)).load(Relaxed)),
            4 => u64::from((*(address as *const AtomicU32)).load(Relaxed)),
            8 => (*(address as *const AtomicU64)).load(Relaxed),
            _ => return None,
        })
    }
}
