//! The lock of a `FairMutex`: every unlock is a fair one.

use std::time::{Duration, Instant};

use lock_api::RawMutexFair as _;

use super::RawMutex;

/// Drop-in for `parking_lot::RawFairMutex`.
#[derive(Debug)]
pub struct RawFairMutex(RawMutex);

// SAFETY: as `RawMutex`, which does everything.
unsafe impl lock_api::RawMutex for RawFairMutex {
    const INIT: Self = Self(RawMutex::INIT);

    type GuardMarker = <RawMutex as lock_api::RawMutex>::GuardMarker;

    #[track_caller]
    fn lock(&self) {
        self.0.lock();
    }

    #[track_caller]
    fn try_lock(&self) -> bool {
        self.0.try_lock()
    }

    unsafe fn unlock(&self) {
        // SAFETY: the caller holds it.
        unsafe { self.0.unlock_fair() }
    }

    fn is_locked(&self) -> bool {
        self.0.is_locked()
    }
}

// SAFETY: as `RawMutex`, which does everything.
unsafe impl lock_api::RawMutexFair for RawFairMutex {
    unsafe fn unlock_fair(&self) {
        // SAFETY: the caller holds it.
        unsafe { self.0.unlock_fair() }
    }

    #[track_caller]
    unsafe fn bump(&self) {
        // SAFETY: the caller holds it.
        unsafe { self.0.bump() }
    }
}

// SAFETY: as `RawMutex`, which does everything.
unsafe impl lock_api::RawMutexTimed for RawFairMutex {
    type Duration = Duration;
    type Instant = Instant;

    #[track_caller]
    fn try_lock_for(&self, timeout: Duration) -> bool {
        self.0.try_lock_for(timeout)
    }

    #[track_caller]
    fn try_lock_until(&self, deadline: Instant) -> bool {
        self.0.try_lock_until(deadline)
    }
}
