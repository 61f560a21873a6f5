//! The common path of `Once`, `OnceLock` and `LazyLock` inside an execution.

use std::panic::Location;

use contest_engine::execution::{Active, OnceEntry, active};

/// Enters the `Once`-like object at `address`; if it is not complete, this thread runs `initialise` on the real object,
/// which calls [`Initialising::ends`] as the last thing before the real object is complete. The end is reported to the
/// engine even if `initialise` panics.
#[inline]
#[track_caller]
pub(super) fn initialise_once(
    active: Active,
    address: usize,
    what: &'static str,
    complete: impl Fn() -> bool,
    initialise: impl FnOnce(Initialising),
) {
    if active.once_begin(address, what, &complete) == OnceEntry::Complete {
        return;
    }
    let unwinding = EndOnUnwind { address, complete };
    initialise(Initialising {
        active,
        address,
        location: Location::caller(),
    });
    let ended_complete = (unwinding.complete)();
    // It has nothing of its own to drop.
    std::mem::forget(unwinding);
    active.once_end(address, ended_complete);
}

/// The initialiser that runs.
pub(super) struct Initialising {
    active: Active,
    address: usize,
    location: &'static Location<'static>,
}

impl Initialising {
    /// Waits for the turn to make the object complete: others may look at it without entering.
    pub(super) fn ends(self) {
        self.active.once_ending(self.address, self.location);
    }
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
