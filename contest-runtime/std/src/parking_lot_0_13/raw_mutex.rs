//! The lock of a `Mutex`.

use std::time::{Duration, Instant};

use super::Guard;
use super::runtime::locks::{LockMode, RawLock, until};

pub(super) const WHAT: &str = "Mutex";
const MODE: LockMode = LockMode::Exclusive;

/// Drop-in for `parking_lot::RawMutex`.
#[derive(Debug)]
pub struct RawMutex(pub(super) RawLock);

// SAFETY: as exclusive as its lock.
unsafe impl lock_api::RawMutex for RawMutex {
    const INIT: Self = Self(RawLock::new());

    type Guard = Guard;

    #[inline]
    #[track_caller]
    fn lock(&self) -> Guard {
        self.0.lock(MODE, WHAT, None);
        Guard::new()
    }

    #[inline]
    #[track_caller]
    fn try_lock(&self) -> Option<Guard> {
        self.0.try_lock(MODE, WHAT).then(Guard::new)
    }

    #[inline]
    unsafe fn unlock(&self, _: Guard) {
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
    unsafe fn unlock_fair(&self, _: Guard) {
        self.0.unlock(MODE);
    }

    #[inline]
    #[track_caller]
    unsafe fn bump(&self, _: &mut Guard) {
        self.0.unlock(MODE);
        self.0.lock(MODE, WHAT, None);
    }
}

// SAFETY: as for `RawMutex`.
unsafe impl lock_api::RawMutexTimed for RawMutex {
    type Duration = Duration;
    type Instant = Instant;

    #[track_caller]
    fn try_lock_for(&self, timeout: Duration) -> Option<Guard> {
        self.0.lock(MODE, WHAT, Some(timeout)).then(Guard::new)
    }

    #[track_caller]
    fn try_lock_until(&self, deadline: Instant) -> Option<Guard> {
        self.try_lock_for(until(deadline))
    }
}
