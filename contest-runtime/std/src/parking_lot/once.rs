//! `Once`, over that of `std`.

use std::fmt;

use super::runtime::Once as StdOnce;
use super::runtime::atomic::{AtomicU8, Ordering::SeqCst};

/// Drop-in for `parking_lot::Once`.
pub struct Once {
    once: StdOnce,
    /// What `once` does not tell: 0 nothing, 1 an initialiser runs or ended well, 2 one panicked.
    phase: AtomicU8,
    /// It was made so, and no closure is ever run.
    completed: bool,
}

/// Drop-in for `parking_lot::OnceState`.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum OnceState {
    /// Nothing was run yet.
    New,
    /// A closure was run and panicked.
    Poisoned,
    /// A thread runs a closure now.
    InProgress,
    /// A closure was run to its end.
    Done,
}

impl OnceState {
    /// As in parking_lot.
    #[must_use]
    pub const fn poisoned(self) -> bool {
        matches!(self, Self::Poisoned)
    }

    /// As in parking_lot.
    #[must_use]
    pub const fn done(self) -> bool {
        matches!(self, Self::Done)
    }
}

impl Once {
    /// As in parking_lot.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            once: StdOnce::new(),
            phase: AtomicU8::new(0),
            completed: false,
        }
    }

    /// As in parking_lot; inside an execution one or two visible operations.
    #[track_caller]
    pub fn state(&self) -> OnceState {
        if self.completed || self.once.is_completed() {
            return OnceState::Done;
        }
        match self.phase.load(SeqCst) {
            0 => OnceState::New,
            2 => OnceState::Poisoned,
            // Done since it was looked at, or not yet: one of the two was the state meanwhile.
            _ => OnceState::InProgress,
        }
    }

    /// As in parking_lot.
    ///
    /// # Panics
    /// If an earlier closure panicked.
    #[track_caller]
    pub fn call_once<F: FnOnce()>(&self, f: F) {
        if self.completed {
            return;
        }
        self.once.call_once_force(|state| {
            assert!(
                !state.is_poisoned(),
                "Once instance has previously been poisoned."
            );
            self.run(f);
        });
    }

    /// As in parking_lot: an earlier panic is no hindrance.
    #[track_caller]
    pub fn call_once_force<F: FnOnce(OnceState)>(&self, f: F) {
        if self.completed {
            return;
        }
        self.once.call_once_force(|state| {
            let state = if state.is_poisoned() {
                OnceState::Poisoned
            } else {
                OnceState::New
            };
            self.run(|| f(state));
        });
    }

    #[track_caller]
    fn run(&self, f: impl FnOnce()) {
        /// Notes that the closure panicked, unless it is forgotten.
        struct Panicked<'a>(&'a AtomicU8);
        impl Drop for Panicked<'_> {
            fn drop(&mut self) {
                self.0.store(2, SeqCst);
            }
        }
        self.phase.store(1, SeqCst);
        let panicked = Panicked(&self.phase);
        f();
        std::mem::forget(panicked);
    }
}

/// Of parking_lot 0.13.
#[cfg(contest_stand_in)]
impl OnceState {
    /// As in parking_lot.
    #[must_use]
    pub const fn is_poisoned(self) -> bool {
        matches!(self, Self::Poisoned)
    }

    /// As in parking_lot.
    #[must_use]
    pub const fn is_completed(self) -> bool {
        matches!(self, Self::Done)
    }
}

/// Of parking_lot 0.13.
#[cfg(contest_stand_in)]
impl Once {
    /// As in parking_lot.
    #[must_use]
    pub const fn new_completed() -> Self {
        Self {
            once: StdOnce::new(),
            phase: AtomicU8::new(0),
            completed: true,
        }
    }

    /// As in parking_lot.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        self.completed || self.once.is_completed()
    }

    /// As in parking_lot.
    ///
    /// # Panics
    /// If an earlier closure panicked.
    #[track_caller]
    pub fn wait(&self) {
        if !self.completed {
            self.once.wait();
        }
    }

    /// As in parking_lot: an earlier panic is no hindrance.
    #[track_caller]
    pub fn wait_force(&self) {
        if !self.completed {
            self.once.wait_force();
        }
    }
}

impl Default for Once {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once")
            .field("state", &self.state())
            .finish()
    }
}
