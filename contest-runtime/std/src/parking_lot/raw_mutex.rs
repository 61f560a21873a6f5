//! The lock of a `Mutex`.

use std::time::{Duration, Instant};

use super::runtime::locks::{LockMode, RawLock, until};

pub(super) const WHAT: &str = "Mutex";
const MODE: LockMode = LockMode::Exclusive;

/// Drop-in for `parking_lot::RawMutex`.
#[derive(Debug)]
pub struct RawMutex(pub(super) RawLock);

// SAFETY: as exclusive as its lock.
unsafe impl lock_api::RawMutex for RawMutex {
    const INIT: Self = Self(RawLock::new());

    type GuardMarker = super::GuardMarker;

    #[inline]
    #[track_caller]
    fn lock(&self) {
        self.0.lock(MODE, WHAT, None);
    }

    #[inline]
    #[track_caller]
    fn try_lock(&self) -> bool {
        self.0.try_lock(MODE, WHAT)
    }

    #[inline]
    unsafe fn unlock(&self) {
        self.0.unlock(MODE);
    }

    #[inline]
    #[track_caller]
    fn is_locked(&self) -> bool {
        self.0.is_held_against(MODE, WHAT)
    }
}

// SAFETY: as for `RawMutex`.
unsafe impl lock_api::RawMutexFair for RawMutex {
    #[inline]
    unsafe fn unlock_fair(&self) {
        self.0.unlock(MODE);
    }

    #[inline]
    #[track_caller]
    unsafe fn bump(&self) {
        self.0.unlock(MODE);
        self.0.lock(MODE, WHAT, None);
    }
}

// SAFETY: as for `RawMutex`.
unsafe impl lock_api::RawMutexTimed for RawMutex {
    type Duration = Duration;
    type Instant = Instant;

    #[track_caller]
    fn try_lock_for(&self, timeout: Duration) -> bool {
        self.0.lock(MODE, WHAT, Some(timeout))
    }

    #[track_caller]
    fn try_lock_until(&self, deadline: Instant) -> bool {
        self.0.lock(MODE, WHAT, Some(until(deadline)))
    }
}
