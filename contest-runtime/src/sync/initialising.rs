//! The common path of `Once`, `OnceLock` and `LazyLock` inside an execution.

use crate::execution::{Active, OnceEntry, active};

/// Enters the `Once`-like object at `address`; if it is not complete, this thread runs `initialise` on the real object. The engine
/// is told that it ended, also when it panics.
#[inline]
#[track_caller]
pub(super) fn initialise_once(
    active: Active,
    address: usize,
    what: &'static str,
    complete: impl Fn() -> bool,
    initialise: impl FnOnce(),
) {
    if active.once_begin(address, what, &complete) == OnceEntry::Complete {
        return;
    }
    let unwinding = EndOnUnwind { address, complete };
    initialise();
    let ended_complete = (unwinding.complete)();
    // It has nothing of its own to drop.
    std::mem::forget(unwinding);
    active.once_end(address, ended_complete);
}

struct EndOnUnwind<C: Fn() -> bool> {
    address: usize,
    complete: C,
}

impl<C: Fn() -> bool> Drop for EndOnUnwind<C> {
    fn drop(&mut self) {
        if let Some(active) = active() {
            active.once_end(self.address, (self.complete)());
        }
    }
}
