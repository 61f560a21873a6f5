//! loom's `Arc`, with one difference: while a model is unwound after a deadlock it is not counted down, which in loom
//! ends the process.

use std::mem::ManuallyDrop;
use std::ops::Deref;

use super::captured_panic;

/// loom's `Arc`.
#[derive(Debug)]
pub struct Arc<T: ?Sized>(ManuallyDrop<loom::sync::Arc<T>>);

impl<T> Arc<T> {
    /// As in `std`.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Self::of(loom::sync::Arc::new(value))
    }

    /// As in `std`.
    #[track_caller]
    pub fn pin(value: T) -> std::pin::Pin<Self> {
        // SAFETY: the value is on the heap and stays there.
        unsafe { std::pin::Pin::new_unchecked(Self::new(value)) }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If there are other owners.
    #[track_caller]
    pub fn try_unwrap(this: Self) -> Result<T, Self> {
        loom::sync::Arc::try_unwrap(this.into_loom()).map_err(Self::of)
    }
}

impl<T: ?Sized> Arc<T> {
    /// One that was made by `std`, to share a trait object or a slice.
    #[track_caller]
    pub fn from_std(std: std::sync::Arc<T>) -> Self {
        Self::of(loom::sync::Arc::from_std(std))
    }

    /// As in `std`.
    #[must_use]
    #[track_caller]
    pub fn strong_count(this: &Self) -> usize {
        loom::sync::Arc::strong_count(&this.0)
    }

    /// As in `std`.
    #[track_caller]
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        loom::sync::Arc::get_mut(&mut this.0)
    }

    /// As in `std`.
    #[must_use]
    pub fn ptr_eq(this: &Self, other: &Self) -> bool {
        loom::sync::Arc::ptr_eq(&this.0, &other.0)
    }

    fn of(loom: loom::sync::Arc<T>) -> Self {
        Self(ManuallyDrop::new(loom))
    }

    fn into_loom(self) -> loom::sync::Arc<T> {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is never used or dropped after.
        unsafe { ManuallyDrop::take(&mut this.0) }
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    #[track_caller]
    fn drop(&mut self) {
        if !captured_panic::after_deadlock() {
            // SAFETY: the field is not used after.
            unsafe { ManuallyDrop::drop(&mut self.0) };
        }
    }
}

impl<T: ?Sized> Clone for Arc<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        Self::of(loom::sync::Arc::clone(&self.0))
    }
}

impl<T: ?Sized> Deref for Arc<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized> std::borrow::Borrow<T> for Arc<T> {
    fn borrow(&self) -> &T {
        &self.0
    }
}

impl<T: Default> Default for Arc<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for Arc<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Self::new(value)
    }
}
