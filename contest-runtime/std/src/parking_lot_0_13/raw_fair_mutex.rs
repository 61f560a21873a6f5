//! The lock of a `FairMutex`: every unlock is a fair one.

use std::time::{Duration, Instant};

use lock_api::{RawMutex as _, RawMutexFair as _, RawMutexTimed as _};

use super::{Guard, RawMutex};

/// Drop-in for `parking_lot::RawFairMutex`.
#[derive(Debug)]
pub struct RawFairMutex(RawMutex);

// SAFETY: as `RawMutex`, which does everything.
unsafe impl lock_api::RawMutex for RawFairMutex {
    const INIT: Self = Self(RawMutex::INIT);

    type Guard = Guard;

    #[track_caller]
    fn lock(&self) -> Guard {
        self.0.lock()
    }

    #[track_caller]
    fn try_lock(&self) -> Option<Guard> {
        self.0.try_lock()
    }

    unsafe fn unlock(&self, guard: Guard) {
        // SAFETY: the caller holds it.
        unsafe { self.0.unlock_fair(guard) }
    }

    #[track_caller]
    fn is_locked(&self) -> bool {
        self.0.is_locked()
    }
}

// SAFETY: as `RawMutex`, which does everything.
unsafe impl lock_api::RawMutexFair for RawFairMutex {
    unsafe fn unlock_fair(&self, guard: Guard) {
        // SAFETY: the caller holds it.
        unsafe { self.0.unlock_fair(guard) }
    }

    #[track_caller]
    unsafe fn bump(&self, guard: &mut Guard) {
        // SAFETY: the caller holds it.
        unsafe { self.0.bump(guard) }
    }
}

// SAFETY: as `RawMutex`, which does everything.
unsafe impl lock_api::RawMutexTimed for RawFairMutex {
    type Duration = Duration;
    type Instant = Instant;

    #[track_caller]
    fn try_lock_for(&self, timeout: Duration) -> Option<Guard> {
        self.0.try_lock_for(timeout)
    }

    #[track_caller]
    fn try_lock_until(&self, deadline: Instant) -> Option<Guard> {
        self.0.try_lock_until(deadline)
    }
}
