//! Locks without contents, for drop-ins of lock libraries: inside an execution the engine decides who gets them,
//! outside they are real.

mod deadline;
mod parked;
mod raw_condvar;
mod real;

use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

use crate::sync::held_elsewhere::held_elsewhere;
use contest_engine::execution::active;

pub use contest_data::trace::LockMode;
pub use deadline::{Deadline, until};
pub use raw_condvar::RawCondvar;

use real::RealLock;

/// A lock for one writer, or for readers, one of whom may be about to write. Its type in reports is a parameter of its
/// operations, so that it stays small: locks are parts of other types, whose size may be asserted.
pub struct RawLock {
    real: RealLock,
}

impl RawLock {
    /// A free lock.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "as in lock libraries")]
    pub const fn new() -> Self {
        Self {
            real: RealLock::new(),
        }
    }

    /// Takes the lock, waiting at most `timeout` if there is one; false if time ran out. A thread that waits here holds
    /// no other back.
    #[track_caller]
    pub fn lock(&self, mode: LockMode, what: &'static str, timeout: Option<Duration>) -> bool {
        let Some(active) = active() else {
            return self.real.lock(mode, timeout);
        };
        let is_free = || self.real.is_free(mode);
        let granted = active.lock(self.address(), mode, what, timeout, is_free);
        self.take_if(granted, mode, what)
    }

    /// Takes the lock for writing. A thread that waits here holds back those that come to read.
    #[track_caller]
    pub fn write(&self, what: &'static str) {
        let Some(active) = active() else {
            self.real.lock(LockMode::Exclusive, None);
            return;
        };
        let is_free = || self.real.is_free(LockMode::Exclusive);
        active.write(self.address(), what, is_free);
        self.take_granted(LockMode::Exclusive, what);
    }

    /// As [`lock`](Self::lock) for reading, and not held back by a thread that waits to write.
    #[track_caller]
    pub fn read_again(&self, what: &'static str, timeout: Option<Duration>) -> bool {
        let Some(active) = active() else {
            return self.real.lock(LockMode::Read, timeout);
        };
        let is_free = || self.real.is_free(LockMode::Read);
        let granted = active.read_again(self.address(), what, timeout, is_free);
        self.take_if(granted, LockMode::Read, what)
    }

    /// Takes the lock if it is free; true if it was.
    #[track_caller]
    pub fn try_lock(&self, mode: LockMode, what: &'static str) -> bool {
        let Some(active) = active() else {
            return self.real.try_lock(mode);
        };
        let is_free = || self.real.is_free(mode);
        let granted = active.try_lock(self.address(), mode, what, is_free);
        self.take_if(granted, mode, what)
    }

    /// Gives the lock back. This thread holds it in this mode.
    pub fn unlock(&self, mode: LockMode) {
        match active() {
            None => self.real.unlock(mode),
            Some(active) => active.unlock(self.address(), mode, || self.real.unlock(mode)),
        }
    }

    /// Turns the upgradable lock of this thread into the exclusive one, waiting at most `timeout` if there is one;
    /// false if time ran out.
    #[track_caller]
    pub fn upgrade(&self, what: &'static str, timeout: Option<Duration>) -> bool {
        let Some(active) = active() else {
            return self.real.upgrade(timeout);
        };
        let granted = active.upgrade(self.address(), timeout, || self.real.could_upgrade());
        if granted && !self.real.try_upgrade() {
            held_elsewhere(what);
        }
        granted
    }

    /// Turns the upgradable lock of this thread into the exclusive one, if there is no reader.
    #[track_caller]
    pub fn try_upgrade(&self, what: &'static str) -> bool {
        let Some(active) = active() else {
            return self.real.try_upgrade();
        };
        let granted = active.try_upgrade(self.address(), || self.real.could_upgrade());
        if granted && !self.real.try_upgrade() {
            held_elsewhere(what);
        }
        granted
    }

    /// Turns the lock of this thread into one of a weaker mode.
    #[track_caller]
    pub fn downgrade(&self, from: LockMode, to: LockMode) {
        let real = || self.real.downgrade(from, to);
        match active() {
            None => real(),
            Some(active) => active.downgrade_from(self.address(), from, to, real),
        }
    }

    /// True if a thread that requests it in this mode has to wait for who holds it.
    #[must_use]
    #[track_caller]
    pub fn is_held_against(&self, mode: LockMode, what: &'static str) -> bool {
        let is_held = || !self.real.is_free(mode);
        match active() {
            None => is_held(),
            Some(active) => active.look_at_lock(self.address(), what, is_held),
        }
    }

    /// What the engine knows it by.
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Takes the real lock if the engine granted it.
    #[track_caller]
    fn take_if(&self, granted: bool, mode: LockMode, what: &'static str) -> bool {
        if granted {
            self.take_granted(mode, what);
        }
        granted
    }

    /// Takes the real lock after the engine granted it.
    #[track_caller]
    fn take_granted(&self, mode: LockMode, what: &'static str) {
        if !self.real.try_lock(mode) {
            held_elsewhere(what);
        }
    }
}

impl fmt::Debug for RawLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawLock")
            .field("locked", &!self.real.is_free(LockMode::Exclusive))
            .finish_non_exhaustive()
    }
}

/// A number of the thread, different for every two threads that are alive. Virtual threads have small even numbers,
/// real threads odd ones, from addresses.
#[must_use]
pub fn thread_number() -> NonZeroUsize {
    thread_local!(static KEY: u16 = const { 0 });
    let number = match active() {
        Some(active) => usize::from(active.current().0) * 2 + 1,
        None => KEY.with(|key| std::ptr::from_ref(key).addr()),
    };
    NonZeroUsize::MIN.saturating_add(number)
}
