//! Waking a single waiter, for hand-written models of executors and the like.

mod atomic_waker;

pub use atomic_waker::AtomicWaker;

use std::sync::{Condvar, Mutex, PoisonError};

/// A flag that one thread waits for: [`wait`](Notify::wait) returns when [`notify`](Notify::notify) was called, before
/// or during the wait, and takes the flag back. Everything before the call of `notify` happens before the return of
/// `wait`. It is never woken spuriously.
#[derive(Debug, Default)]
pub struct Notify {
    notified: Mutex<bool>,
    changed: Condvar,
    waiting: Mutex<()>,
}

impl Notify {
    /// One that has not been notified.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            notified: Mutex::new(false),
            changed: Condvar::new(),
            waiting: Mutex::new(()),
        }
    }

    /// Lets the waiting thread go on, or the next one that waits.
    #[track_caller]
    pub fn notify(&self) {
        #[cfg(feature = "explore")]
        if let Some(active) = contest_engine::execution::active() {
            active.signal(self.address(), || self.replace(true));
            return;
        }
        self.replace(true);
        self.changed.notify_one();
    }

    /// Waits until notified.
    ///
    /// # Panics
    /// If another thread waits already.
    #[track_caller]
    pub fn wait(&self) {
        let Ok(_only) = self.waiting.try_lock() else {
            panic!("two threads wait on one `Notify`");
        };
        #[cfg(feature = "explore")]
        if let Some(active) = contest_engine::execution::active() {
            active.await_signal(self.address(), self.is_notified());
            self.replace(false);
            return;
        }
        let mut notified = self.notified.lock().unwrap_or_else(PoisonError::into_inner);
        while !*notified {
            notified = self
                .changed
                .wait(notified)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *notified = false;
    }

    fn replace(&self, notified: bool) -> bool {
        let mut state = self.notified.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *state, notified)
    }

    #[cfg(feature = "explore")]
    fn is_notified(&self) -> bool {
        *self.notified.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(feature = "explore")]
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}
