//! The guards of `RwLock`.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

use super::giving_back::GivingBack;
use super::rwlock::RwLock;
use contest_data::trace::LockMode;
use contest_engine::execution::active;

/// Drop-in for `std::sync::RwLockReadGuard`; covariant in `T`, therefore without a reference to the lock.
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockReadGuard<'a, T: ?Sized + 'a> {
    address: usize,
    real: ManuallyDrop<std::sync::RwLockReadGuard<'a, T>>,
}

/// Drop-in for `std::sync::RwLockWriteGuard`.
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockWriteGuard<'a, T: ?Sized + 'a> {
    lock: &'a RwLock<T>,
    real: ManuallyDrop<std::sync::RwLockWriteGuard<'a, T>>,
}

// SAFETY: a shared guard gives shared access to the value only, as the real guard, which is `Sync` under the same
// condition; the reference to the lock beside it is not given out.
unsafe impl<T: ?Sized + Sync> Sync for RwLockWriteGuard<'_, T> {}

impl<'a, T: ?Sized> RwLockReadGuard<'a, T> {
    #[inline]
    pub(super) fn new(address: usize, real: std::sync::RwLockReadGuard<'a, T>) -> Self {
        Self {
            address,
            real: ManuallyDrop::new(real),
        }
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    #[inline]
    pub(super) fn new(lock: &'a RwLock<T>, real: std::sync::RwLockWriteGuard<'a, T>) -> Self {
        Self {
            lock,
            real: ManuallyDrop::new(real),
        }
    }

    /// As in `std`: turns the write lock into a read lock, with no writer in between.
    #[inline]
    #[track_caller]
    pub fn downgrade(s: Self) -> RwLockReadGuard<'a, T> {
        let mut this = ManuallyDrop::new(s);
        // SAFETY: `this` is never dropped, and this field of it not used after.
        let real = unsafe { ManuallyDrop::take(&mut this.real) };
        let downgrade = std::sync::RwLockWriteGuard::downgrade;
        let real = match active() {
            None => downgrade(real),
            Some(active) => {
                let real = GivingBack::new(active, &this.lock.real, real);
                active.downgrade(this.lock.address(), move || downgrade(real.kept()))
            }
        };
        RwLockReadGuard::new(this.lock.address(), real)
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the field is not used after.
        let real = unsafe { ManuallyDrop::take(&mut self.real) };
        match active() {
            None => drop(real),
            Some(active) => active.unlock(self.address, LockMode::Read, || drop(real)),
        }
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
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

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.real
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.real
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.real
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}
