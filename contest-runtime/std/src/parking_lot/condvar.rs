//! `Condvar`.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use lock_api::RawMutex as _;

use super::{MutexGuard, RawMutex};
use contest_engine::execution::{Active, active};

/// Drop-in for `parking_lot::Condvar`. Inside an execution who waits is known to the engine.
pub struct Condvar {
    /// Threads outside of executions wait here: parking_lot's condition variable wants parking_lot's own guards.
    gate: ::parking_lot::Mutex<()>,
    real: ::parking_lot::Condvar,
    /// The mutex that the waiting threads use.
    mutex: AtomicUsize,
    /// How many wait, outside of executions.
    waiting: AtomicUsize,
}

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

/// Until when to wait.
#[derive(Clone, Copy)]
enum Deadline {
    Never,
    Real(Instant),
    /// By the virtual clock.
    Virtual(Duration),
}

impl Deadline {
    fn after(timeout: Duration) -> Self {
        match active() {
            Some(active) => Self::Virtual(active.now().saturating_add(timeout)),
            None => Instant::now()
                .checked_add(timeout)
                .map_or(Self::Never, Self::Real),
        }
    }

    fn at(instant: Instant) -> Self {
        match active() {
            Some(_) => Self::after(super::until(instant)),
            None => Self::Real(instant),
        }
    }

    fn left(self, active: Active) -> Option<Duration> {
        match self {
            Self::Never => None,
            Self::Real(instant) => Some(super::until(instant)),
            Self::Virtual(end) => Some(end.saturating_sub(active.now())),
        }
    }
}

impl Condvar {
    /// As in parking_lot.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            gate: ::parking_lot::const_mutex(()),
            real: ::parking_lot::Condvar::new(),
            mutex: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
        }
    }

    /// Wakes one waiting thread; true if there was one.
    #[track_caller]
    pub fn notify_one(&self) -> bool {
        match active() {
            Some(active) => active.notify(self.address(), false) > 0,
            None => {
                let _gate = self.gate.lock();
                let woken = self.real.notify_one();
                self.waiting.fetch_sub(usize::from(woken), Relaxed);
                woken
            }
        }
    }

    /// Wakes all waiting threads; says how many.
    #[track_caller]
    pub fn notify_all(&self) -> usize {
        match active() {
            Some(active) => active.notify(self.address(), true) as usize,
            None => {
                let _gate = self.gate.lock();
                let woken = self.real.notify_all();
                self.waiting.fetch_sub(woken, Relaxed);
                woken
            }
        }
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
        // SAFETY: it is unlocked below and locked again before the guard can be used.
        let raw: &RawMutex = unsafe { MutexGuard::mutex(guard).raw() };
        match active() {
            Some(active) => {
                self.claim(raw, active.is_waited_on(self.address()));
                let timed_out = active.wait_for_notification(
                    self.address(),
                    raw.address(),
                    deadline.left(active),
                    false,
                    // SAFETY: the guard is this thread's.
                    || unsafe { raw.release() },
                );
                raw.take_granted();
                WaitTimeoutResult(timed_out)
            }
            None => {
                let mut gate = self.gate.lock();
                self.claim(raw, self.waiting.load(Relaxed) > 0);
                self.waiting.fetch_add(1, Relaxed);
                // SAFETY: the guard is this thread's. Who notifies needs the gate, so no notification is lost.
                unsafe { raw.unlock() };
                let timed_out = match deadline {
                    Deadline::Real(instant) => self.real.wait_until(&mut gate, instant).timed_out(),
                    Deadline::Never | Deadline::Virtual(_) => {
                        self.real.wait(&mut gate);
                        false
                    }
                };
                if timed_out {
                    self.waiting.fetch_sub(1, Relaxed);
                }
                drop(gate);
                raw.lock();
                WaitTimeoutResult(timed_out)
            }
        }
    }

    /// Remembers the mutex, or panics if others wait with another one.
    #[track_caller]
    fn claim(&self, raw: &RawMutex, others_wait: bool) {
        assert!(
            !others_wait || self.mutex.load(Relaxed) == raw.address(),
            "attempted to use a condition variable with more than one mutex"
        );
        self.mutex.store(raw.address(), Relaxed);
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("Condvar { .. }")
    }
}

impl Default for Condvar {
    fn default() -> Self {
        Self::new()
    }
}
