//! `Condvar`.

use std::fmt;
use std::sync::{LockResult, PoisonError};
use std::time::{Duration, Instant};

use super::giving_back::GivingBack;
use super::mutex::MutexGuard;
use contest_engine::execution::active;

/// Drop-in for `std::sync::Condvar`. Inside an execution the real one is not used: who waits is known to the engine.
pub struct Condvar {
    real: std::sync::Condvar,
}

/// Drop-in for `std::sync::WaitTimeoutResult`.
#[derive(Debug, PartialEq, Eq, Copy, Clone)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// As in `std`.
    #[must_use]
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

/// When a wait with a limit began; the virtual clock inside an execution.
#[derive(Clone, Copy)]
enum Start {
    Real(Instant),
    Virtual(Duration),
}

impl Start {
    fn now() -> Self {
        match active() {
            None => Self::Real(Instant::now()),
            Some(active) => Self::Virtual(active.now()),
        }
    }

    fn elapsed(self) -> Duration {
        match (self, active()) {
            (Self::Virtual(start), Some(active)) => active.now().saturating_sub(start),
            (Self::Real(start), _) => start.elapsed(),
            (Self::Virtual(_), None) => Duration::ZERO,
        }
    }
}

impl Condvar {
    /// As in `std`.
    #[must_use]
    #[inline]
    pub const fn new() -> Self {
        Self {
            real: std::sync::Condvar::new(),
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If the mutex is poisoned.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let (lock, real) = guard.into_parts();
        match active() {
            None => lock.guard(self.real.wait(real)),
            Some(active) => {
                let real = GivingBack::new(active, &lock.real, real);
                active.wait(self.address(), lock.address(), None, move || drop(real));
                lock.take_granted()
            }
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If the mutex is poisoned.
    #[track_caller]
    pub fn wait_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If the mutex is poisoned.
    #[track_caller]
    #[deprecated(
        since = "1.6.0",
        note = "replaced by `std::sync::Condvar::wait_timeout`"
    )]
    pub fn wait_timeout_ms<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        ms: u32,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        let notified =
            |(guard, result): (MutexGuard<'a, T>, WaitTimeoutResult)| (guard, !result.timed_out());
        match self.wait_timeout(guard, Duration::from_millis(u64::from(ms))) {
            Ok(pair) => Ok(notified(pair)),
            Err(error) => Err(PoisonError::new(notified(error.into_inner()))),
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If the mutex is poisoned.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        dur: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let (lock, real) = guard.into_parts();
        let (guard, result) = match active() {
            None => {
                let (real, result) = match self.real.wait_timeout(real, dur) {
                    Ok((real, result)) => (Ok(real), result),
                    Err(error) => {
                        let (real, result) = error.into_inner();
                        (Err(PoisonError::new(real)), result)
                    }
                };
                (lock.guard(real), WaitTimeoutResult(result.timed_out()))
            }
            Some(active) => {
                let real = GivingBack::new(active, &lock.real, real);
                let give_back = move || drop(real);
                let timed_out = active.wait(self.address(), lock.address(), Some(dur), give_back);
                (lock.take_granted(), WaitTimeoutResult(timed_out))
            }
        };
        match guard {
            Ok(guard) => Ok((guard, result)),
            Err(error) => Err(PoisonError::new((error.into_inner(), result))),
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If the mutex is poisoned.
    #[track_caller]
    pub fn wait_timeout_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        dur: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>
    where
        F: FnMut(&mut T) -> bool,
    {
        let start = Start::now();
        loop {
            if !condition(&mut *guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            let Some(left) = dur.checked_sub(start.elapsed()) else {
                return Ok((guard, WaitTimeoutResult(true)));
            };
            guard = self.wait_timeout(guard, left)?.0;
        }
    }

    /// As in `std`.
    #[inline]
    #[track_caller]
    pub fn notify_one(&self) {
        match active() {
            None => self.real.notify_one(),
            Some(active) => {
                active.notify(self.address(), false);
            }
        }
    }

    /// As in `std`.
    #[inline]
    #[track_caller]
    pub fn notify_all(&self) {
        match active() {
            None => self.real.notify_all(),
            Some(active) => {
                active.notify(self.address(), true);
            }
        }
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.real, f)
    }
}

impl Default for Condvar {
    fn default() -> Self {
        Self::new()
    }
}
