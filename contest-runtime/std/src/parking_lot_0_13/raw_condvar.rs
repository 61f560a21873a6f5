//! The condition variable below lock_api's, which does not pass the place of its caller on.

use std::time::{Duration, Instant};

use super::raw_mutex::WHAT;
use super::runtime::locks::{self, Deadline};
use super::{Guard, RawMutex};

/// Drop-in for `parking_lot::RawCondvar`.
#[derive(Debug)]
pub struct RawCondvar(locks::RawCondvar);

// SAFETY: the engine releases the lock and acquires it again before `wait` returns. It wakes no thread spuriously, and
// panics if threads wait with different locks.
unsafe impl lock_api::RawCondvar for RawCondvar {
    const INIT: Self = Self(locks::RawCondvar::new());

    type RawMutex = RawMutex;

    #[track_caller]
    unsafe fn wait(&self, mutex: &RawMutex, _: &mut Guard) {
        self.0.wait(&mutex.0, WHAT, Deadline::Never);
    }

    #[track_caller]
    fn notify_one(&self) -> bool {
        self.0.notify(false) > 0
    }

    #[track_caller]
    fn notify_all(&self) -> usize {
        self.0.notify(true)
    }
}

// SAFETY: as for `RawCondvar`; whether the time was over is known.
unsafe impl lock_api::RawCondvarTimed for RawCondvar {
    fn checked_duration_to_instant(timeout: &Duration) -> Option<Instant> {
        Instant::now().checked_add(*timeout)
    }

    #[track_caller]
    unsafe fn wait_until(&self, mutex: &RawMutex, _: &mut Guard, timeout: &Instant) -> bool {
        self.0.wait(&mutex.0, WHAT, Deadline::at(*timeout))
    }

    #[track_caller]
    unsafe fn wait_for(&self, mutex: &RawMutex, _: &mut Guard, timeout: &Duration) -> bool {
        self.0.wait(&mutex.0, WHAT, Deadline::after(*timeout))
    }
}
