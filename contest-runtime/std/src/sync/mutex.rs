//! `Mutex`.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

use super::giving_back::GivingBack;
use super::held_elsewhere::held_elsewhere;
use super::static_contents::StaticLock;
use contest_data::trace::LockMode;
use contest_engine::execution::active;

const WHAT: &str = "Mutex";

/// Drop-in for `std::sync::Mutex`.
pub struct Mutex<T: ?Sized> {
    pub(super) real: std::sync::Mutex<T>,
}

/// Drop-in for `std::sync::MutexGuard`, without its `must_use`: loom's has none, and its models run on this type too.
pub struct MutexGuard<'a, T: ?Sized + 'a> {
    lock: &'a Mutex<T>,
    real: ManuallyDrop<std::sync::MutexGuard<'a, T>>,
}

// SAFETY: a shared guard gives shared access to the value only, as the real guard, which is `Sync` under the same
// condition; the reference to the mutex beside it is not given out.
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<T> Mutex<T> {
    /// As in `std`.
    #[inline]
    pub const fn new(value: T) -> Self {
        Self {
            real: std::sync::Mutex::new(value),
        }
    }
}

impl<T: ?Sized> Mutex<T> {
    /// As in `std`.
    ///
    /// # Errors
    /// If the mutex is poisoned.
    #[inline]
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        match active() {
            None => self.guard(self.real.lock()),
            Some(active) => {
                active.lock(self.address(), LockMode::Exclusive, WHAT, None, || {
                    self.is_free()
                });
                self.take_granted()
            }
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If the mutex is held or poisoned.
    #[inline]
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        match active() {
            None => match self.real.try_lock() {
                Ok(real) => Ok(MutexGuard::new(self, real)),
                Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
                Err(TryLockError::Poisoned(error)) => {
                    self.guard(Err(error)).map_err(TryLockError::Poisoned)
                }
            },
            Some(active) => {
                if active.try_lock(self.address(), LockMode::Exclusive, WHAT, || self.is_free()) {
                    self.take_granted().map_err(TryLockError::Poisoned)
                } else {
                    Err(TryLockError::WouldBlock)
                }
            }
        }
    }

    /// As in `std`.
    #[inline]
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        match active() {
            None => self.real.is_poisoned(),
            Some(active) => active.look_at_poison(self.address(), WHAT, || self.real.is_poisoned()),
        }
    }

    /// As in `std`.
    #[inline]
    #[track_caller]
    pub fn clear_poison(&self) {
        match active() {
            None => self.real.clear_poison(),
            Some(active) => {
                active.clear_poison(self.address(), WHAT, || self.real.clear_poison());
            }
        }
    }

    /// As in `std`; exclusive, therefore not a visible operation.
    ///
    /// # Errors
    /// If the mutex is poisoned.
    #[inline]
    pub fn into_inner(self) -> LockResult<T>
    where
        T: Sized,
    {
        self.real.into_inner()
    }

    /// As in `std`; exclusive, therefore not a visible operation.
    ///
    /// # Errors
    /// If the mutex is poisoned.
    #[inline]
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.real.get_mut()
    }

    /// What the engine knows this mutex by.
    #[inline]
    pub(super) fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn is_free(&self) -> bool {
        !matches!(self.real.try_lock(), Err(TryLockError::WouldBlock))
    }

    /// Takes the real mutex after the engine granted it.
    #[inline]
    #[track_caller]
    pub(super) fn take_granted(&self) -> LockResult<MutexGuard<'_, T>> {
        match self.real.try_lock() {
            Ok(mut real) => {
                self.keep_static(&mut real, false);
                Ok(MutexGuard::new(self, real))
            }
            Err(TryLockError::Poisoned(mut error)) => {
                self.keep_static(error.get_mut(), true);
                self.guard(Err(error))
            }
            Err(TryLockError::WouldBlock) => held_elsewhere(WHAT),
        }
    }

    /// Statics start every execution anew; see [`contest_engine::execution::KeptLock`].
    #[inline]
    #[track_caller]
    fn keep_static(&self, content: &mut T, poisoned: bool) {
        if let Some(active) = active()
            && active.keeps_static(self.address())
        {
            let lock = StaticLock {
                lock: &self.real,
                content: std::ptr::from_mut(content),
                what: WHAT,
                poisoned,
                unpoison: std::sync::Mutex::clear_poison,
            };
            lock.keep(active);
        }
    }

    /// The guard of this type for the real one.
    #[inline]
    pub(super) fn guard<'a>(
        &'a self,
        real: LockResult<std::sync::MutexGuard<'a, T>>,
    ) -> LockResult<MutexGuard<'a, T>> {
        match real {
            Ok(real) => Ok(MutexGuard::new(self, real)),
            Err(error) => Err(PoisonError::new(MutexGuard::new(self, error.into_inner()))),
        }
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    #[inline]
    fn new(lock: &'a Mutex<T>, real: std::sync::MutexGuard<'a, T>) -> Self {
        Self {
            lock,
            real: ManuallyDrop::new(real),
        }
    }

    /// The mutex and the real guard; nothing is unlocked.
    #[inline]
    pub(super) fn into_parts(self) -> (&'a Mutex<T>, std::sync::MutexGuard<'a, T>) {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is never used or dropped after.
        let real = unsafe { ManuallyDrop::take(&mut this.real) };
        (this.lock, real)
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the field is not used after.
        let real = unsafe { ManuallyDrop::take(&mut self.real) };
        match active() {
            None => drop(real),
            Some(active) => {
                let real = GivingBack::new(active, &self.lock.real, real);
                active.unlock(self.lock.address(), LockMode::Exclusive, move || drop(real));
            }
        }
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.real
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.real
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Mutex");
        match self.try_lock() {
            Ok(guard) => {
                text.field("data", &&*guard);
            }
            Err(TryLockError::Poisoned(error)) => {
                text.field("data", &&**error.get_ref());
            }
            Err(TryLockError::WouldBlock) => {
                // `std` writes this as a string, with quotes.
                text.field("data", &"<locked>");
            }
        }
        text.field("poisoned", &self.real.is_poisoned());
        text.finish_non_exhaustive()
    }
}
