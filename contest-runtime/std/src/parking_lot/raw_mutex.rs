//! The lock of a `Mutex`.

use std::time::{Duration, Instant};

use lock_api::{GuardNoSend, RawMutex as _};

use crate::sync::held_elsewhere::held_elsewhere;
use contest_data::trace::LockMode;
use contest_engine::execution::active;

const WHAT: &str = "Mutex";

/// Drop-in for `parking_lot::RawMutex`.
#[derive(Debug)]
pub struct RawMutex {
    real: RealMutex,
}

struct RealMutex(::parking_lot::RawMutex);

impl std::fmt::Debug for RealMutex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_locked() { "locked" } else { "free" })
    }
}

impl RawMutex {
    /// What the engine knows this mutex by.
    pub(super) fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn real(&self) -> &::parking_lot::RawMutex {
        &self.real.0
    }

    /// Takes the real mutex after the engine granted it.
    #[track_caller]
    pub(super) fn take_granted(&self) {
        if !self.real().try_lock() {
            held_elsewhere(WHAT);
        }
    }

    /// Gives the real mutex back.
    ///
    /// # Safety
    /// This thread holds it.
    pub(super) unsafe fn release(&self) {
        // SAFETY: as promised.
        unsafe { self.real().unlock() }
    }

    #[track_caller]
    fn lock_within(&self, timeout: Option<Duration>) -> Option<bool> {
        let active = active()?;
        let granted = active.lock(self.address(), LockMode::Exclusive, WHAT, timeout, || {
            !self.real().is_locked()
        });
        if granted {
            self.take_granted();
        }
        Some(granted)
    }
}

// SAFETY: exclusive as the real mutex is, which is taken in every case.
unsafe impl lock_api::RawMutex for RawMutex {
    const INIT: Self = Self {
        real: RealMutex(::parking_lot::RawMutex::INIT),
    };

    type GuardMarker = GuardNoSend;

    #[inline]
    #[track_caller]
    fn lock(&self) {
        if self.lock_within(None).is_none() {
            self.real().lock();
        }
    }

    #[inline]
    #[track_caller]
    fn try_lock(&self) -> bool {
        let Some(active) = active() else {
            return self.real().try_lock();
        };
        let granted = active.try_lock(self.address(), LockMode::Exclusive, WHAT, || {
            !self.real().is_locked()
        });
        if granted {
            self.take_granted();
        }
        granted
    }

    #[inline]
    unsafe fn unlock(&self) {
        match active() {
            // SAFETY: the caller holds it.
            None => unsafe { self.release() },
            Some(active) => active.unlock(self.address(), LockMode::Exclusive, || {
                // SAFETY: the caller holds it.
                unsafe { self.release() }
            }),
        }
    }

    #[inline]
    fn is_locked(&self) -> bool {
        self.real().is_locked()
    }
}

// SAFETY: as for `RawMutex`.
unsafe impl lock_api::RawMutexFair for RawMutex {
    #[inline]
    unsafe fn unlock_fair(&self) {
        if active().is_none() {
            // SAFETY: the caller holds it.
            unsafe { self.real().unlock_fair() }
        } else {
            // SAFETY: the caller holds it.
            unsafe { lock_api::RawMutex::unlock(self) }
        }
    }

    #[inline]
    #[track_caller]
    unsafe fn bump(&self) {
        if active().is_none() {
            // SAFETY: the caller holds it.
            unsafe { self.real().bump() }
        } else {
            // SAFETY: the caller holds it.
            unsafe { lock_api::RawMutex::unlock(self) }
            lock_api::RawMutex::lock(self);
        }
    }
}

// SAFETY: as for `RawMutex`.
unsafe impl lock_api::RawMutexTimed for RawMutex {
    type Duration = Duration;
    type Instant = Instant;

    #[track_caller]
    fn try_lock_for(&self, timeout: Duration) -> bool {
        self.lock_within(Some(timeout))
            .unwrap_or_else(|| self.real().try_lock_for(timeout))
    }

    #[track_caller]
    fn try_lock_until(&self, deadline: Instant) -> bool {
        if active().is_none() {
            self.real().try_lock_until(deadline)
        } else {
            self.try_lock_for(super::until(deadline))
        }
    }
}
