//! `RwLock`. A writer that waits goes before new readers, as in all implementations of `std` ([`Active::write`]): two
//! reads of one thread around another thread's write are a deadlock.

use std::fmt;
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

use super::held_elsewhere::held_elsewhere;
use super::rwlock_guards::{RwLockReadGuard, RwLockWriteGuard};
use super::static_contents::StaticLock;
use contest_data::trace::LockMode;
use contest_engine::execution::active;

const WHAT: &str = "RwLock";

/// Drop-in for `std::sync::RwLock`.
pub struct RwLock<T: ?Sized> {
    pub(super) real: std::sync::RwLock<T>,
}

impl<T> RwLock<T> {
    /// As in `std`.
    #[inline]
    pub const fn new(value: T) -> Self {
        Self {
            real: std::sync::RwLock::new(value),
        }
    }
}

impl<T: ?Sized> RwLock<T> {
    /// As in `std`.
    ///
    /// # Errors
    /// If the lock is poisoned.
    #[inline]
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        match active() {
            None => self.read_guard(self.real.read()),
            Some(active) => {
                active.lock(self.address(), LockMode::Read, WHAT, None, || {
                    self.is_free_to_read()
                });
                self.take_granted_read()
            }
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If the lock is held by a writer or poisoned.
    #[inline]
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        match active() {
            None => match self.real.try_read() {
                Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
                Err(TryLockError::Poisoned(error)) => Ok(self.read_guard(Err(error))?),
                Ok(real) => Ok(self.read_guard(Ok(real))?),
            },
            Some(active) => {
                if active.try_lock(self.address(), LockMode::Read, WHAT, || {
                    self.is_free_to_read()
                }) {
                    Ok(self.take_granted_read()?)
                } else {
                    Err(TryLockError::WouldBlock)
                }
            }
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If the lock is poisoned.
    #[inline]
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        match active() {
            None => self.write_guard(self.real.write()),
            Some(active) => {
                active.write(self.address(), WHAT, || self.is_free_to_write());
                self.take_granted_write()
            }
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If the lock is held or poisoned.
    #[inline]
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        match active() {
            None => match self.real.try_write() {
                Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
                Err(TryLockError::Poisoned(error)) => Ok(self.write_guard(Err(error))?),
                Ok(real) => Ok(self.write_guard(Ok(real))?),
            },
            Some(active) => {
                if active.try_lock(self.address(), LockMode::Exclusive, WHAT, || {
                    self.is_free_to_write()
                }) {
                    Ok(self.take_granted_write()?)
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
    /// If the lock is poisoned.
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
    /// If the lock is poisoned.
    #[inline]
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.real.get_mut()
    }

    /// What the engine knows this lock by.
    #[inline]
    pub(super) fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn is_free_to_read(&self) -> bool {
        !matches!(self.real.try_read(), Err(TryLockError::WouldBlock))
    }

    fn is_free_to_write(&self) -> bool {
        !matches!(self.real.try_write(), Err(TryLockError::WouldBlock))
    }

    #[inline]
    #[track_caller]
    fn take_granted_read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        match self.real.try_read() {
            Ok(real) => {
                self.keep_static(std::ptr::from_ref(&*real).cast_mut(), false);
                self.read_guard(Ok(real))
            }
            Err(TryLockError::Poisoned(error)) => {
                self.keep_static(std::ptr::from_ref(&**error.get_ref()).cast_mut(), true);
                self.read_guard(Err(error))
            }
            Err(TryLockError::WouldBlock) => held_elsewhere(WHAT),
        }
    }

    #[inline]
    #[track_caller]
    fn take_granted_write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        match self.real.try_write() {
            Ok(mut real) => {
                self.keep_static(&raw mut *real, false);
                self.write_guard(Ok(real))
            }
            Err(TryLockError::Poisoned(mut error)) => {
                self.keep_static(&raw mut **error.get_mut(), true);
                self.write_guard(Err(error))
            }
            Err(TryLockError::WouldBlock) => held_elsewhere(WHAT),
        }
    }

    /// Statics start every execution anew; see [`contest_engine::execution::KeptLock`].
    #[inline]
    #[track_caller]
    fn keep_static(&self, content: *mut T, poisoned: bool) {
        if let Some(active) = active()
            && active.keeps_static(self.address())
        {
            let lock = StaticLock {
                lock: &self.real,
                content,
                what: WHAT,
                poisoned,
                unpoison: std::sync::RwLock::clear_poison,
            };
            lock.keep(active);
        }
    }

    #[inline]
    fn read_guard<'a>(
        &'a self,
        real: LockResult<std::sync::RwLockReadGuard<'a, T>>,
    ) -> LockResult<RwLockReadGuard<'a, T>> {
        let guard = |real| RwLockReadGuard::new(self.address(), real);
        match real {
            Ok(real) => Ok(guard(real)),
            Err(error) => Err(PoisonError::new(guard(error.into_inner()))),
        }
    }

    #[inline]
    fn write_guard<'a>(
        &'a self,
        real: LockResult<std::sync::RwLockWriteGuard<'a, T>>,
    ) -> LockResult<RwLockWriteGuard<'a, T>> {
        let guard = |real| RwLockWriteGuard::new(self, real);
        match real {
            Ok(real) => Ok(guard(real)),
            Err(error) => Err(PoisonError::new(guard(error.into_inner()))),
        }
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("RwLock");
        match self.try_read() {
            Ok(guard) => {
                text.field("data", &&*guard);
            }
            Err(TryLockError::Poisoned(error)) => {
                text.field("data", &&**error.get_ref());
            }
            Err(TryLockError::WouldBlock) => {
                text.field("data", &format_args!("<locked>"));
            }
        }
        text.field("poisoned", &self.real.is_poisoned());
        text.finish_non_exhaustive()
    }
}
