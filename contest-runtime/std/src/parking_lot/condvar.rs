//! `Condvar`.

use std::fmt;
use std::time::{Duration, Instant};

use super::MutexGuard;
use super::raw_mutex::WHAT;
use super::runtime::locks::{Deadline, RawCondvar};

/// Drop-in for `parking_lot::Condvar`. Inside an execution who waits is known to the engine.
#[derive(Default)]
pub struct Condvar(RawCondvar);

/// Drop-in for `parking_lot::WaitTimeoutResult`.
#[derive(Debug, PartialEq, Eq, Copy, Clone)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// As in parking_lot.
    #[must_use]
    pub fn timed_out(self) -> bool {
        self.0
    }
}

impl Condvar {
    /// As in parking_lot.
    #[must_use]
    pub const fn new() -> Self {
        Self(RawCondvar::new())
    }

    /// Wakes one waiting thread; true if there was one.
    #[track_caller]
    pub fn notify_one(&self) -> bool {
        self.0.notify(false) > 0
    }

    /// Wakes all waiting threads; says how many.
    #[track_caller]
    pub fn notify_all(&self) -> usize {
        self.0.notify(true)
    }

    /// As in parking_lot; never woken spuriously.
    ///
    /// # Panics
    /// If another thread waits with another mutex.
    #[track_caller]
    pub fn wait<T: ?Sized>(&self, guard: &mut MutexGuard<'_, T>) {
        self.wait_to(guard, Deadline::Never);
    }

    /// As in parking_lot.
    ///
    /// # Panics
    /// If another thread waits with another mutex.
    #[track_caller]
    pub fn wait_for<T: ?Sized>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        timeout: Duration,
    ) -> WaitTimeoutResult {
        self.wait_to(guard, Deadline::after(timeout))
    }

    /// As in parking_lot.
    ///
    /// # Panics
    /// If another thread waits with another mutex.
    #[track_caller]
    pub fn wait_until<T: ?Sized>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        timeout: Instant,
    ) -> WaitTimeoutResult {
        self.wait_to(guard, Deadline::at(timeout))
    }

    /// As in parking_lot.
    ///
    /// # Panics
    /// If another thread waits with another mutex.
    #[track_caller]
    pub fn wait_while<T, F>(&self, guard: &mut MutexGuard<'_, T>, condition: F)
    where
        T: ?Sized,
        F: FnMut(&mut T) -> bool,
    {
        self.wait_while_to(guard, condition, Deadline::Never);
    }

    /// As in parking_lot.
    ///
    /// # Panics
    /// If another thread waits with another mutex.
    #[track_caller]
    pub fn wait_while_for<T, F>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        condition: F,
        timeout: Duration,
    ) -> WaitTimeoutResult
    where
        T: ?Sized,
        F: FnMut(&mut T) -> bool,
    {
        self.wait_while_to(guard, condition, Deadline::after(timeout))
    }

    /// As in parking_lot.
    ///
    /// # Panics
    /// If another thread waits with another mutex.
    #[track_caller]
    pub fn wait_while_until<T, F>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        condition: F,
        timeout: Instant,
    ) -> WaitTimeoutResult
    where
        T: ?Sized,
        F: FnMut(&mut T) -> bool,
    {
        self.wait_while_to(guard, condition, Deadline::at(timeout))
    }

    /// As parking_lot does: a wait that timed out is the last one, whatever the condition says then.
    #[track_caller]
    fn wait_while_to<T, F>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        mut condition: F,
        deadline: Deadline,
    ) -> WaitTimeoutResult
    where
        T: ?Sized,
        F: FnMut(&mut T) -> bool,
    {
        let mut result = WaitTimeoutResult(false);
        while !result.timed_out() && condition(&mut **guard) {
            result = self.wait_to(guard, deadline);
        }
        result
    }

    #[track_caller]
    fn wait_to<T: ?Sized>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        deadline: Deadline,
    ) -> WaitTimeoutResult {
        // SAFETY: the guard is this thread's, and the lock is locked again before that can be used.
        let raw = unsafe { MutexGuard::mutex(guard).raw() };
        WaitTimeoutResult(self.0.wait(&raw.0, WHAT, deadline))
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("Condvar { .. }")
    }
}
