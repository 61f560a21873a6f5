//! What is made once, of loom's locks and atomics. Nothing is poisoned: a panic ends the model.

use std::cell::UnsafeCell;
use std::fmt;
use std::ops::Deref;

use super::atomic::AtomicBool;
use super::locks::Mutex;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// `std::sync::Once`.
#[derive(Debug, Default)]
pub struct Once {
    done: AtomicBool,
    running: Mutex<()>,
}

/// `std::sync::OnceState`.
#[derive(Debug)]
pub struct OnceState(());

impl OnceState {
    /// Never: a panic ends the model.
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        false
    }
}

impl Once {
    /// As in `std`, but not in a constant.
    #[must_use]
    #[track_caller]
    pub fn new() -> Self {
        Self::default()
    }

    /// As in `std`.
    #[track_caller]
    pub fn call_once(&self, f: impl FnOnce()) {
        if self.is_completed() {
            return;
        }
        let _running = self.running.lock();
        if !self.done.load(Relaxed) {
            f();
            self.done.store(true, Release);
        }
    }

    /// As in `std`.
    #[track_caller]
    pub fn call_once_force(&self, f: impl FnOnce(&OnceState)) {
        self.call_once(|| f(&OnceState(())));
    }

    /// As in `std`.
    #[must_use]
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        self.done.load(Acquire)
    }

    /// As in `std`.
    #[track_caller]
    pub fn wait(&self) {
        while !self.is_completed() {
            super::thread::yield_now();
        }
    }
}

/// `std::sync::OnceLock`.
pub struct OnceLock<T> {
    once: Once,
    value: UnsafeCell<Option<T>>,
}

// SAFETY: the value is written while `once` runs, which one thread does, and read after that has been seen.
unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}

impl<T> OnceLock<T> {
    /// As in `std`, but not in a constant.
    #[must_use]
    #[track_caller]
    pub fn new() -> Self {
        Self {
            once: Once::new(),
            value: UnsafeCell::new(None),
        }
    }

    /// As in `std`.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        if self.once.is_completed() {
            // SAFETY: nothing writes once it is there.
            unsafe { (*self.value.get()).as_ref() }
        } else {
            None
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// The value, if there was one already.
    ///
    /// # Panics
    /// Never.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.get_or_init(|| value.take().expect("it is taken once"));
        match value {
            None => Ok(()),
            Some(value) => Err(value),
        }
    }

    /// As in `std`.
    ///
    /// # Panics
    /// If `f` does.
    #[track_caller]
    pub fn get_or_init(&self, f: impl FnOnce() -> T) -> &T {
        self.once.call_once(|| {
            let value = f();
            // SAFETY: `call_once` runs this in one thread, and readers have seen that it is over.
            unsafe { *self.value.get() = Some(value) };
        });
        self.get().expect("it is there now")
    }

    /// As in `std`.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.value.get_mut().as_mut()
    }

    /// As in `std`.
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }

    /// As in `std`.
    pub fn take(&mut self) -> Option<T> {
        std::mem::take(self).into_inner()
    }
}

impl<T> Default for OnceLock<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<T> for OnceLock<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        let made = Self::new();
        made.get_or_init(|| value);
        made
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.get().cloned().map_or_else(Self::new, Self::from)
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tuple = f.debug_tuple("OnceLock");
        match self.get() {
            Some(value) => tuple.field(value),
            None => tuple.field(&format_args!("<uninit>")),
        };
        tuple.finish()
    }
}

/// `std::sync::LazyLock`.
pub struct LazyLock<T, F = fn() -> T> {
    value: OnceLock<T>,
    init: Mutex<Option<F>>,
}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// As in `std`, but not in a constant.
    #[track_caller]
    pub fn new(f: F) -> Self {
        Self {
            value: OnceLock::new(),
            init: Mutex::new(Some(f)),
        }
    }

    /// As in `std`.
    ///
    /// # Panics
    /// If the function that makes it does.
    #[track_caller]
    pub fn force(this: &Self) -> &T {
        this.value.get_or_init(|| {
            let init = this.init.lock().map_or(None, |mut it| it.take());
            init.expect("it is called once")()
        })
    }
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        Self::force(self)
    }
}

impl<T: Default> Default for LazyLock<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default)
    }
}

impl<T: fmt::Debug, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tuple = f.debug_tuple("LazyLock");
        match self.value.get() {
            Some(value) => tuple.field(value),
            None => tuple.field(&format_args!("<uninit>")),
        };
        tuple.finish()
    }
}
