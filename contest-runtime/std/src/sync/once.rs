//! `Once`.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use super::initialising::initialise_once;
use super::static_once::OwnValue;
use contest_engine::execution::{Active, active};

const WHAT: &str = "Once";

/// Drop-in for `std::sync::Once`.
pub struct Once {
    real: std::sync::Once,
}

/// Drop-in for `std::sync::OnceState`.
pub struct OnceState {
    poisoned: bool,
    /// As the real one, it may not be shared between threads.
    _not_sync: PhantomData<Cell<()>>,
}

/// As in `std`: a new `Once`.
#[deprecated(since = "1.38.0", note = "the `Once::new()` function is now preferred")]
#[expect(
    clippy::declare_interior_mutable_const,
    reason = "std has it as a constant"
)]
pub const ONCE_INIT: Once = Once::new();

impl Once {
    /// As in `std`.
    #[inline]
    #[must_use]
    #[expect(clippy::new_without_default, reason = "std has no `Default` either")]
    pub const fn new() -> Self {
        Self {
            real: std::sync::Once::new(),
        }
    }

    /// As in `std`.
    ///
    /// # Panics
    /// If an earlier initialiser panicked.
    #[inline]
    #[track_caller]
    pub fn call_once<F>(&self, f: F)
    where
        F: FnOnce(),
    {
        match active() {
            None => self.real.call_once(f),
            Some(active) if let Some(own) = self.own(active) => {
                own.get_or_make(true, || {
                    if own.is_poisoned() {
                        panic!("Once instance has previously been poisoned");
                    }
                    f();
                });
            }
            Some(active) => initialise_once(
                active,
                self.address(),
                WHAT,
                || self.real.is_completed(),
                |initialising| {
                    self.real.call_once(|| {
                        f();
                        initialising.ends();
                    });
                },
            ),
        }
    }

    /// As in `std`.
    #[inline]
    #[track_caller]
    pub fn call_once_force<F>(&self, f: F)
    where
        F: FnOnce(&OnceState),
    {
        let state = |poisoned| OnceState {
            poisoned,
            _not_sync: PhantomData,
        };
        if let Some(active) = active()
            && let Some(own) = self.own(active)
        {
            own.get_or_make(true, || f(&state(own.is_poisoned())));
            return;
        }
        let f = |real: &std::sync::OnceState| f(&state(real.is_poisoned()));
        match active() {
            None => self.real.call_once_force(f),
            Some(active) => initialise_once(
                active,
                self.address(),
                WHAT,
                || self.real.is_completed(),
                |initialising| {
                    self.real.call_once_force(|state| {
                        f(state);
                        initialising.ends();
                    });
                },
            ),
        }
    }

    /// As in `std`.
    #[inline]
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        match active() {
            None => self.real.is_completed(),
            Some(active) if let Some(own) = self.own(active) => own.look().is_some(),
            Some(active) => active.once_peek(
                self.address(),
                WHAT,
                || self.real.is_completed(),
                |complete| *complete,
            ),
        }
    }

    /// As in `std`.
    ///
    /// # Panics
    /// If the initialiser panicked. Inside an execution this is known of panics in the same execution only; after
    /// others it waits.
    #[track_caller]
    pub fn wait(&self) {
        if let Some(active) = active() {
            if let Some(own) = self.own(active) {
                own.wait();
                return;
            }
            active.once_wait(self.address(), WHAT, || {
                self.real.is_completed() || active.once_failed(self.address(), WHAT)
            });
        }
        self.real.wait();
    }

    /// As in `std`.
    #[track_caller]
    pub fn wait_force(&self) {
        if let Some(active) = active() {
            if let Some(own) = self.own(active) {
                own.wait();
                return;
            }
            active.once_wait(self.address(), WHAT, || self.real.is_completed());
        }
        self.real.wait_force();
    }

    #[inline]
    fn own(&self, active: Active) -> Option<OwnValue<()>> {
        OwnValue::of(active, self.address(), WHAT, || self.real.is_completed())
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.real, f)
    }
}

impl OnceState {
    /// As in `std`.
    #[inline]
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        self.poisoned
    }
}

impl fmt::Debug for OnceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceState")
            .field("poisoned", &self.poisoned)
            .finish()
    }
}
