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
