//! `AtomicWaker`.

use std::sync::PoisonError;
use std::task::Waker;

use crate::sync::Mutex;

/// A place for the waker of a task, as `futures_util::task::AtomicWaker` is: the task registers, whoever has something for it wakes.
///
/// A registration that meets one in progress, or a wake, wakes its own task at once, so that it registers again.
#[derive(Debug, Default)]
pub struct AtomicWaker {
    waker: Mutex<Option<Waker>>,
}

impl AtomicWaker {
    /// Without a waker.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            waker: Mutex::new(None),
        }
    }

    /// Puts a waker in; the one before is dropped.
    #[track_caller]
    pub fn register(&self, waker: Waker) {
        let replaced = match self.waker.try_lock() {
            Ok(mut place) => place.replace(waker),
            Err(std::sync::TryLockError::Poisoned(place)) => place.into_inner().replace(waker),
            Err(std::sync::TryLockError::WouldBlock) => {
                waker.wake();
                // The task is polled again and comes back here: it waits until something changed.
                crate::thread::yield_now();
                return;
            }
        };
        drop(replaced);
    }

    /// Puts a copy of a waker in.
    #[track_caller]
    pub fn register_by_ref(&self, waker: &Waker) {
        self.register(waker.clone());
    }

    /// Wakes the task that registered last, if it was not woken since.
    #[track_caller]
    pub fn wake(&self) {
        if let Some(waker) = self.take_waker() {
            waker.wake();
        }
    }

    /// Takes the waker out.
    #[track_caller]
    #[must_use]
    pub fn take_waker(&self) -> Option<Waker> {
        self.waker
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}
