//! A condition variable for [`RawLock`]s that are held exclusively.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::parked::{park, unpark};
use super::{Deadline, LockMode, RawLock};
use contest_engine::execution::active;

/// Threads that wait to be notified. Who waits is woken by a notification or by its deadline, and not spuriously.
#[derive(Debug, Default)]
pub struct RawCondvar {
    /// The lock that the waiting threads use.
    lock: AtomicUsize,
    /// How many wait, outside of executions.
    waiting: AtomicUsize,
}

impl RawCondvar {
    /// A new one; no thread waits for it.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            lock: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
        }
    }

    /// Wakes one waiting thread, or all; says how many.
    #[track_caller]
    pub fn notify(&self, all: bool) -> usize {
        match active() {
            Some(active) => active.notify(self.address(), all) as usize,
            None => {
                let woken = unpark(self.address(), if all { usize::MAX } else { 1 });
                self.waiting.fetch_sub(woken, Relaxed);
                woken
            }
        }
    }

    /// Gives the lock back, waits, and takes it again; true if the deadline passed. This thread holds the lock.
    ///
    /// # Panics
    /// If another thread waits with another lock.
    #[track_caller]
    pub fn wait(&self, lock: &RawLock, what: &'static str, deadline: Deadline) -> bool {
        let Some(active) = active() else {
            self.claim(lock, self.waiting.load(Relaxed) > 0);
            self.waiting.fetch_add(1, Relaxed);
            let unlock = || lock.real.unlock(LockMode::Exclusive);
            let woken = park(self.address(), deadline.real(), || true, unlock);
            if !woken {
                self.waiting.fetch_sub(1, Relaxed);
            }
            lock.real.lock(LockMode::Exclusive, None);
            return !woken;
        };
        self.claim(lock, active.is_waited_on(self.address()));
        let timed_out = active.wait_for_notification(
            self.address(),
            lock.address(),
            deadline.left(active),
            false,
            || lock.real.unlock(LockMode::Exclusive),
        );
        lock.take_granted(LockMode::Exclusive, what);
        timed_out
    }

    /// Remembers the lock, or panics if others wait with another one.
    #[track_caller]
    fn claim(&self, lock: &RawLock, others_wait: bool) {
        assert!(
            !others_wait || self.lock.load(Relaxed) == lock.address(),
            "attempted to use a condition variable with more than one mutex"
        );
        self.lock.store(lock.address(), Relaxed);
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}
