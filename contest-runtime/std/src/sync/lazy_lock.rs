//! `LazyLock`. Built as the real one is and of its layout: the real one gives no way to act between its initialiser and
//! the moment it is complete.

use std::cell::UnsafeCell;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Once;

use super::initialising::initialise_once;
use super::static_once::OwnValue;
use contest_engine::execution::{Active, active};

const WHAT: &str = "LazyLock";

/// Drop-in for `std::sync::LazyLock`.
pub struct LazyLock<T, F = fn() -> T> {
    once: Once,
    content: UnsafeCell<Content<T, F>>,
}

/// The initialiser while `once` is fresh, the value when it is complete, nothing when it is poisoned.
union Content<T, F> {
    value: ManuallyDrop<T>,
    f: ManuallyDrop<F>,
}

// SAFETY: a shared lock gives out `&T` only; `F` is taken by one thread, and the value may be dropped by another than
// made it.
unsafe impl<T: Sync + Send, F: Send> Sync for LazyLock<T, F> {}

impl<T: RefUnwindSafe + UnwindSafe, F: UnwindSafe> RefUnwindSafe for LazyLock<T, F> {}
impl<T: UnwindSafe, F: UnwindSafe> UnwindSafe for LazyLock<T, F> {}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// As in `std`.
    #[inline]
    pub const fn new(f: F) -> Self {
        Self {
            once: Once::new(),
            content: UnsafeCell::new(Content {
                f: ManuallyDrop::new(f),
            }),
        }
    }

    /// As in `std`; exclusive, therefore not a visible operation.
    ///
    /// # Panics
    /// If the initialiser panics or has panicked.
    #[inline]
    pub fn force_mut(this: &mut Self) -> &mut T {
        this.initialise(|| ());
        // SAFETY: complete, so the value is there.
        unsafe { &mut this.content.get_mut().value }
    }

    /// As in `std`.
    ///
    /// # Panics
    /// If the initialiser panics or has panicked.
    #[inline]
    #[track_caller]
    pub fn force(this: &Self) -> &T {
        match active() {
            None => this.initialise(|| ()),
            Some(active) if let Some(own) = this.own(active) => return this.force_own(own),
            Some(active) => initialise_once(
                active,
                std::ptr::from_ref(this).addr(),
                WHAT,
                || this.once.is_completed(),
                |initialising| this.initialise(|| initialising.ends()),
            ),
        }
        // SAFETY: complete, so the value is there and stays as long as the lock is shared.
        unsafe { &(*this.content.get()).value }
    }

    #[track_caller]
    fn force_own(&self, own: OwnValue<T>) -> &T {
        own.get_or_make(true, || {
            if own.is_poisoned() {
                panic!("LazyLock instance has previously been poisoned");
            }
            // SAFETY: the real object was not initialised when the model began, and no execution initialises it, so the
            // initialiser is there. It is a constant of the program: a copy of its bytes is as good as the one in
            // another execution's program.
            let f = unsafe { std::ptr::read(&raw const (*self.content.get()).f) };
            ManuallyDrop::into_inner(f)()
        })
    }

    /// Makes the value unless it is there; calls `ends` after the initialiser.
    #[inline]
    fn initialise(&self, ends: impl FnOnce()) {
        self.once.call_once_force(|state| {
            if state.is_poisoned() {
                panic!("LazyLock instance has previously been poisoned");
            }
            // SAFETY: neither complete nor poisoned, so the initialiser is there, and `once` lets only this thread come
            // here. If it panics, `once` is poisoned and the initialiser is not used again.
            let f = unsafe { ManuallyDrop::take(&mut (*self.content.get()).f) };
            let value = ManuallyDrop::new(f());
            ends();
            // SAFETY: `once` still lets only this thread come here, and the initialiser was taken, so its place is
            // free.
            unsafe { (*self.content.get()).value = value };
        });
    }
}

impl<T, F> LazyLock<T, F> {
    #[inline]
    fn own(&self, active: Active) -> Option<OwnValue<T>> {
        let address = std::ptr::from_ref(self).addr();
        OwnValue::of(active, address, WHAT, || self.once.is_completed())
    }

    /// As in `std`; exclusive, therefore not a visible operation.
    #[inline]
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        if this.once.is_completed() {
            // SAFETY: complete, so the value is there.
            Some(unsafe { &mut this.content.get_mut().value })
        } else {
            None
        }
    }

    /// As in `std`.
    #[inline]
    #[track_caller]
    pub fn get(this: &Self) -> Option<&T> {
        let complete = match active() {
            None => this.once.is_completed(),
            Some(active) if let Some(own) = this.own(active) => return own.look(),
            Some(active) => active.once_peek(
                std::ptr::from_ref(this).addr(),
                WHAT,
                || this.once.is_completed(),
                |complete| *complete,
            ),
        };
        // SAFETY: complete, so the value is there and stays as long as the lock is shared.
        complete.then(|| unsafe { &*(*this.content.get()).value })
    }
}

impl<T, F> Drop for LazyLock<T, F> {
    fn drop(&mut self) {
        if self.once.is_completed() {
            // SAFETY: complete, so the value is there; it cannot be used after the drop.
            return unsafe { ManuallyDrop::drop(&mut self.content.get_mut().value) };
        }
        let mut poisoned = false;
        // The only way to read the flag; with exclusive access it does not wait.
        self.once
            .call_once_force(|state| poisoned = state.is_poisoned());
        if !poisoned {
            // SAFETY: it was neither complete nor poisoned, so the initialiser is there; it cannot be used after the
            // drop.
            unsafe { ManuallyDrop::drop(&mut self.content.get_mut().f) };
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
