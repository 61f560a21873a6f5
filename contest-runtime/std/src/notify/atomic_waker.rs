//! `AtomicWaker`.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::Waker;

/// A place for the waker of a task, as `futures_util::task::AtomicWaker` is: the task registers, whoever has something
/// for it wakes.
///
/// Registering and taking are one visible operation each, so one comes before the other. The real one, if the two
/// overlap, wakes the task that registers, which then polls once more than it would here.
#[derive(Debug, Default)]
pub struct AtomicWaker {
    waker: Mutex<Option<Waker>>,
    /// 1 while there is a waker. What an operation reads under RC11 is put into its memory, so this is apart.
    registered: AtomicU8,
}

impl AtomicWaker {
    /// Without a waker.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            waker: Mutex::new(None),
            registered: AtomicU8::new(0),
        }
    }

    /// Puts a waker in; the one before is dropped.
    #[track_caller]
    pub fn register(&self, waker: Waker) {
        let replaced = self.exchange("register", Some(waker));
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
        self.exchange("take_waker", None)
    }

    /// The wakers themselves are code under test: none is cloned, dropped or woken here.
    #[track_caller]
    fn exchange(&self, name: &'static str, waker: Option<Waker>) -> Option<Waker> {
        let registers = waker.is_some();
        let exchange = || {
            let mut place = self.waker.lock().unwrap_or_else(PoisonError::into_inner);
            self.registered
                .store(u8::from(registers), Ordering::Relaxed);
            std::mem::replace(&mut *place, waker)
        };
        #[cfg(feature = "explore")]
        if let Some(active) = contest_engine::execution::active() {
            use contest_engine::execution::{AtomicEffect, AtomicKind, AtomicOperation};
            let operation = AtomicOperation {
                address: self.registered.as_ptr().expose_provenance(),
                size: 1,
                kind: AtomicKind::Rmw(contest_data::trace::Update::Replace),
                ordering: Ordering::AcqRel,
                name,
            };
            let act = || {
                let before = exchange();
                let was = u64::from(before.is_some());
                (before, AtomicEffect::ReadWrote(was, u64::from(registers)))
            };
            // SAFETY: a byte of this value, which is borrowed.
            return unsafe { active.atomic(operation, act) };
        }
        let _ = (name, registers);
        exchange()
    }
}
