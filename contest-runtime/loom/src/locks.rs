//! loom's locks, with what they do written down.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
use std::time::Duration;

pub use loom::sync::WaitTimeoutResult;

use super::log;

fn address<T: ?Sized>(of: &T) -> usize {
    std::ptr::from_ref(of).cast::<u8>().addr()
}

/// A place in the source.
type Place = &'static Location<'static>;

/// A guard of loom's, and where its lock is.
macro_rules! guard {
    ($name:ident, $kind:literal, [$($bound:tt)*], [$($mutable:tt)*]) => {
        /// loom's guard of this name.
        pub struct $name<'a, T $($bound)*> {
            real: ManuallyDrop<loom::sync::$name<'a, T>>,
            lock: usize,
            /// Where: a destructor has no caller.
            taken: Place,
        }

        impl<'a, T $($bound)*> $name<'a, T> {
            fn new(real: loom::sync::$name<'a, T>, lock: usize, what: &str, here: Place) -> Self {
                log::object_at($kind, lock, what, here);
                Self {
                    real: ManuallyDrop::new(real),
                    lock,
                    taken: here,
                }
            }
        }

        impl<T $($bound)*> Drop for $name<'_, T> {
            fn drop(&mut self) {
                // SAFETY: the field is not used after.
                unsafe { ManuallyDrop::drop(&mut self.real) };
                log::object_at($kind, self.lock, " unlocked", self.taken);
            }
        }

        impl<T $($bound)*> Deref for $name<'_, T> {
            type Target = T;

            fn deref(&self) -> &T {
                &self.real
            }
        }

        guard! { $($mutable)* $name [$($bound)*] }

        impl<T: fmt::Debug> fmt::Debug for $name<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }
    };
    (mutable $name:ident [$($bound:tt)*]) => {
        impl<T $($bound)*> DerefMut for $name<'_, T> {
            fn deref_mut(&mut self) -> &mut T {
                &mut self.real
            }
        }
    };
    ($name:ident [$($bound:tt)*]) => {};
}

guard! { MutexGuard, "Mutex", [: ?Sized], [mutable] }
guard! { RwLockReadGuard, "RwLock", [], [] }
guard! { RwLockWriteGuard, "RwLock", [], [mutable] }

/// A result of loom's with the guard put in another; loom poisons nothing.
fn locked<G, H>(result: LockResult<G>, guard: impl Fn(G) -> H) -> LockResult<H> {
    match result {
        Ok(real) => Ok(guard(real)),
        Err(error) => Err(PoisonError::new(guard(error.into_inner()))),
    }
}

fn tried<G, H>(result: TryLockResult<G>, guard: impl Fn(G) -> H) -> TryLockResult<H> {
    match result {
        Ok(real) => Ok(guard(real)),
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
        Err(TryLockError::Poisoned(error)) => Err(TryLockError::Poisoned(PoisonError::new(guard(
            error.into_inner(),
        )))),
    }
}

/// loom's mutex.
#[derive(Debug)]
pub struct Mutex<T: ?Sized>(loom::sync::Mutex<T>);

impl<T> Mutex<T> {
    /// As in `std`.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Self(loom::sync::Mutex::new(value))
    }

    /// As in `std`.
    ///
    /// # Errors
    /// Never: loom poisons nothing.
    pub fn into_inner(self) -> LockResult<T> {
        self.0.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// As in `std`.
    ///
    /// # Errors
    /// Never: loom poisons nothing.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let here = Location::caller();
        let real = self.0.lock();
        locked(real, |real| {
            MutexGuard::new(real, address(self), ".lock()", here)
        })
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If it is locked.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let here = Location::caller();
        let real = self.0.try_lock();
        if real.is_err() {
            log::object("Mutex", address(self), ".try_lock() -> refused");
        }
        tried(real, |real| {
            MutexGuard::new(real, address(self), ".try_lock() -> locked", here)
        })
    }

    /// As in `std`.
    ///
    /// # Errors
    /// Never: loom poisons nothing.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.0.get_mut()
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

/// loom's lock for readers and writers.
#[derive(Debug)]
pub struct RwLock<T>(loom::sync::RwLock<T>);

impl<T> RwLock<T> {
    /// As in `std`.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Self(loom::sync::RwLock::new(value))
    }

    /// As in `std`.
    ///
    /// # Errors
    /// Never: loom poisons nothing.
    pub fn into_inner(self) -> LockResult<T> {
        self.0.into_inner()
    }

    /// As in `std`.
    ///
    /// # Errors
    /// Never: loom poisons nothing.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.0.get_mut()
    }

    /// As in `std`.
    ///
    /// # Errors
    /// Never: loom poisons nothing.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let here = Location::caller();
        let real = self.0.read();
        locked(real, |real| {
            RwLockReadGuard::new(real, address(self), ".read()", here)
        })
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If it is locked for writing.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let here = Location::caller();
        let real = self.0.try_read();
        if real.is_err() {
            log::object("RwLock", address(self), ".try_read() -> refused");
        }
        tried(real, |real| {
            RwLockReadGuard::new(real, address(self), ".try_read() -> locked", here)
        })
    }

    /// As in `std`.
    ///
    /// # Errors
    /// Never: loom poisons nothing.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let here = Location::caller();
        let real = self.0.write();
        locked(real, |real| {
            RwLockWriteGuard::new(real, address(self), ".write()", here)
        })
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If it is locked.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let here = Location::caller();
        let real = self.0.try_write();
        if real.is_err() {
            log::object("RwLock", address(self), ".try_write() -> refused");
        }
        tried(real, |real| {
            RwLockWriteGuard::new(real, address(self), ".try_write() -> locked", here)
        })
    }
}

impl<T: Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

/// loom's condition variable.
#[derive(Debug, Default)]
pub struct Condvar(loom::sync::Condvar);

impl Condvar {
    /// As in `std`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// As in `std`.
    ///
    /// # Errors
    /// Never: loom poisons nothing.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let here = Location::caller();
        log::object("Condvar", address(self), ".wait(), unlocks its mutex");
        let mut guard = ManuallyDrop::new(guard);
        let lock = guard.lock;
        // SAFETY: `guard` is never used or dropped after.
        let real = unsafe { ManuallyDrop::take(&mut guard.real) };
        let real = self.0.wait(real);
        log::object("Condvar", address(self), ".wait() woken");
        locked(real, |real| {
            MutexGuard::new(real, lock, " locked again", here)
        })
    }

    /// As in `std`; the time never runs out.
    ///
    /// # Errors
    /// Never: loom poisons nothing.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        time: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let here = Location::caller();
        log::object(
            "Condvar",
            address(self),
            ".wait_timeout(), unlocks its mutex",
        );
        let mut guard = ManuallyDrop::new(guard);
        let lock = guard.lock;
        // SAFETY: `guard` is never used or dropped after.
        let real = unsafe { ManuallyDrop::take(&mut guard.real) };
        let real = self.0.wait_timeout(real, time);
        log::object("Condvar", address(self), ".wait_timeout() woken");
        locked(
            real.map_err(|it| PoisonError::new(it.into_inner())),
            |(real, over)| (MutexGuard::new(real, lock, " locked again", here), over),
        )
    }

    /// As in `std`.
    #[track_caller]
    pub fn notify_one(&self) {
        self.0.notify_one();
        log::object("Condvar", address(self), ".notify_one()");
    }

    /// As in `std`.
    #[track_caller]
    pub fn notify_all(&self) {
        self.0.notify_all();
        log::object("Condvar", address(self), ".notify_all()");
    }
}
