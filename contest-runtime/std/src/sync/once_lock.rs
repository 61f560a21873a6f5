//! `OnceLock`.

use std::fmt;

use super::initialising::initialise_once;
use super::static_once::OwnValue;
use contest_engine::execution::{Active, active};

const WHAT: &str = "OnceLock";

/// Drop-in for `std::sync::OnceLock`.
pub struct OnceLock<T> {
    real: std::sync::OnceLock<T>,
}

impl<T> OnceLock<T> {
    /// As in `std`.
    #[inline]
    #[must_use]
    pub const fn new() -> Self {
        Self {
            real: std::sync::OnceLock::new(),
        }
    }

    /// As in `std`.
    #[inline]
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        match active() {
            None => self.real.get(),
            Some(active) => match self.own(active) {
                Some(own) => own.look(),
                None => active.once_peek(
                    self.address(),
                    WHAT,
                    || self.real.get(),
                    |value| value.is_some(),
                ),
            },
        }
    }

    /// As in `std`; exclusive, therefore not a visible operation.
    #[inline]
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.real.get_mut()
    }

    /// As in `std`.
    #[inline]
    #[track_caller]
    pub fn wait(&self) -> &T {
        if let Some(active) = active() {
            if let Some(own) = self.own(active) {
                return own.wait();
            }
            active.once_wait(self.address(), WHAT, || self.real.get().is_some());
        }
        self.real.wait()
    }

    /// As in `std`.
    ///
    /// # Errors
    /// The value, if there was one already.
    #[inline]
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let Some(active) = active() else {
            return self.real.set(value);
        };
        let mut value = Some(value);
        if let Some(own) = self.own(active) {
            own.get_or_make(false, || match value.take() {
                Some(value) => value,
                None => unreachable!("called at most once"),
            });
            return value.map_or(Ok(()), Err);
        }
        initialise_once(
            active,
            self.address(),
            WHAT,
            || self.real.get().is_some(),
            |initialising| {
                initialising.ends();
                value = value.take().and_then(|value| self.real.set(value).err());
            },
        );
        value.map_or(Ok(()), Err)
    }

    /// As in `std`.
    #[inline]
    #[track_caller]
    pub fn get_or_init<F>(&self, f: F) -> &T
    where
        F: FnOnce() -> T,
    {
        let Some(active) = active() else {
            return self.real.get_or_init(f);
        };
        if let Some(own) = self.own(active) {
            return own.get_or_make(false, f);
        }
        let mut value = None;
        initialise_once(
            active,
            self.address(),
            WHAT,
            || self.real.get().is_some(),
            |initialising| {
                value = Some(self.real.get_or_init(|| {
                    let value = f();
                    initialising.ends();
                    value
                }));
            },
        );
        match value {
            Some(value) => value,
            // Complete already: returns at once.
            None => self.real.wait(),
        }
    }

    /// As in `std`; exclusive, therefore not a visible operation.
    #[inline]
    pub fn into_inner(self) -> Option<T> {
        self.real.into_inner()
    }

    /// As in `std`; exclusive, therefore not a visible operation.
    #[inline]
    pub fn take(&mut self) -> Option<T> {
        self.real.take()
    }

    #[inline]
    fn own(&self, active: Active) -> Option<OwnValue<T>> {
        OwnValue::of(active, self.address(), WHAT, || self.real.get().is_some())
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

impl<T> Default for OnceLock<T> {
    #[inline]
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_tuple("OnceLock");
        match self.get() {
            Some(value) => text.field(value),
            None => text.field(&format_args!("<uninit>")),
        };
        text.finish()
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    #[inline]
    fn clone(&self) -> Self {
        match self.get() {
            Some(value) => Self::from(value.clone()),
            None => Self::new(),
        }
    }
}

impl<T> From<T> for OnceLock<T> {
    #[inline]
    fn from(value: T) -> Self {
        Self {
            real: std::sync::OnceLock::from(value),
        }
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}
