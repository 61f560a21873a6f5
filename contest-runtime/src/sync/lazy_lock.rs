//! `LazyLock`.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::initialising::initialise_once;
use crate::execution::active;

const WHAT: &str = "LazyLock";

/// Drop-in for `std::sync::LazyLock`.
pub struct LazyLock<T, F = fn() -> T> {
    real: std::sync::LazyLock<T, F>,
}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// As in `std`.
    #[inline]
    pub const fn new(f: F) -> Self {
        Self {
            real: std::sync::LazyLock::new(f),
        }
    }

    /// As in `std`; exclusive, therefore not a visible operation.
    ///
    /// # Panics
    /// If the initialiser panics or has panicked.
    #[inline]
    pub fn force_mut(this: &mut Self) -> &mut T {
        std::sync::LazyLock::force_mut(&mut this.real)
    }

    /// As in `std`.
    ///
    /// # Panics
    /// If the initialiser panics or has panicked.
    #[inline]
    #[track_caller]
    pub fn force(this: &Self) -> &T {
        let real = &this.real;
        if let Some(active) = active() {
            initialise_once(
                active,
                std::ptr::from_ref(this).addr(),
                WHAT,
                || std::sync::LazyLock::get(real).is_some(),
                || {
                    std::sync::LazyLock::force(real);
                },
            );
        }
        std::sync::LazyLock::force(real)
    }
}

impl<T, F> LazyLock<T, F> {
    /// As in `std`; exclusive, therefore not a visible operation.
    #[inline]
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        std::sync::LazyLock::get_mut(&mut this.real)
    }

    /// As in `std`.
    #[inline]
    #[track_caller]
    pub fn get(this: &Self) -> Option<&T> {
        let real = &this.real;
        match active() {
            None => std::sync::LazyLock::get(real),
            Some(active) => active.once_peek(
                std::ptr::from_ref(this).addr(),
                WHAT,
                || std::sync::LazyLock::get(real),
                |value| value.is_some(),
            ),
        }
    }
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[inline]
    #[track_caller]
    fn deref(&self) -> &T {
        Self::force(self)
    }
}

impl<T, F: FnOnce() -> T> DerefMut for LazyLock<T, F> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        Self::force_mut(self)
    }
}

impl<T: Default> Default for LazyLock<T> {
    #[inline]
    fn default() -> Self {
        Self::new(T::default)
    }
}

impl<T: fmt::Debug, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_tuple("LazyLock");
        match Self::get(self) {
            Some(value) => text.field(value),
            None => text.field(&format_args!("<uninit>")),
        };
        text.finish()
    }
}
