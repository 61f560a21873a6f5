//! `Arc` whose counting is visible.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc as RealArc;
use std::sync::atomic::Ordering;

use super::track::Receipt;
use crate::sync::atomic::AtomicUsize;

/// A `std::sync::Arc` for hand-written models: cloning, dropping and looking at the count are operations of the model,
/// which orders threads as those of the real one do, and an `Arc` that is never dropped is a leak.
///
/// The real one works in models too, but who drops it last is then not a choice of the model, and what its destructor
/// reads is not ordered after what other owners wrote. There are no weak references.
pub struct Arc<T: ?Sized> {
    value: RealArc<T>,
    count: RealArc<Count>,
}

struct Count {
    owners: AtomicUsize,
    _receipt: Receipt,
}

impl<T> Arc<T> {
    /// As in `std`.
    #[track_caller]
    #[must_use]
    pub fn new(value: T) -> Self {
        Self::from_std(RealArc::new(value))
    }

    /// As in `std`.
    #[track_caller]
    #[must_use]
    pub fn pin(value: T) -> Pin<Self> {
        // SAFETY: the value is never moved out of what a pinned pointer gives access to.
        unsafe { Pin::new_unchecked(Self::new(value)) }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// The `Arc`, if there are other owners.
    #[track_caller]
    pub fn try_unwrap(this: Self) -> Result<T, Self> {
        let one = this
            .count
            .owners
            .compare_exchange(1, 0, Ordering::Acquire, Ordering::Relaxed);
        if one.is_err() {
            return Err(this);
        }
        let (value, count) = this.into_parts();
        drop(count);
        match RealArc::try_unwrap(value) {
            Ok(value) => Ok(value),
            Err(_) => unreachable!("no other owner is left"),
        }
    }

    /// As in `std`.
    #[track_caller]
    #[must_use]
    pub fn into_inner(this: Self) -> Option<T> {
        if this.count.owners.fetch_sub(1, Ordering::AcqRel) != 1 {
            drop(this.into_parts());
            return None;
        }
        let (value, _) = this.into_parts();
        RealArc::into_inner(value)
    }
}

impl<T: ?Sized> Arc<T> {
    /// Counts the owners of what the real one owns; the way to an `Arc` of an unsized type.
    ///
    /// # Panics
    /// If the real one has other owners.
    #[track_caller]
    #[must_use]
    pub fn from_std(mut value: RealArc<T>) -> Self {
        assert!(
            RealArc::get_mut(&mut value).is_some(),
            "only an `Arc` without other owners can be counted"
        );
        Self {
            value,
            count: RealArc::new(Count {
                owners: AtomicUsize::new(1),
                _receipt: Receipt::new("Arc"),
            }),
        }
    }

    /// Without running the destructor.
    fn into_parts(self) -> (RealArc<T>, RealArc<Count>) {
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: each field is read once, and `this` is not dropped.
        unsafe {
            (
                std::ptr::read(&raw const this.value),
                std::ptr::read(&raw const this.count),
            )
        }
    }

    /// As in `std`.
    #[track_caller]
    #[must_use]
    pub fn strong_count(this: &Self) -> usize {
        this.count.owners.load(Ordering::Relaxed)
    }

    /// As in `std`.
    #[track_caller]
    #[must_use]
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        if this.count.owners.load(Ordering::Acquire) == 1 {
            RealArc::get_mut(&mut this.value)
        } else {
            None
        }
    }

    /// As in `std`.
    #[must_use]
    pub fn ptr_eq(this: &Self, other: &Self) -> bool {
        RealArc::ptr_eq(&this.value, &other.value)
    }

    /// As in `std`.
    #[must_use]
    pub fn as_ptr(this: &Self) -> *const T {
        RealArc::as_ptr(&this.value)
    }
}

impl<T: ?Sized> Deref for Arc<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: ?Sized> Clone for Arc<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.count.owners.fetch_add(1, Ordering::Relaxed);
        Self {
            value: RealArc::clone(&self.value),
            count: RealArc::clone(&self.count),
        }
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    #[track_caller]
    fn drop(&mut self) {
        // The last owner is ordered after all others by the release sequence of the count.
        self.count.owners.fetch_sub(1, Ordering::AcqRel);
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

impl<T: ?Sized> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized> Borrow<T> for Arc<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: ?Sized + PartialEq> PartialEq for Arc<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: ?Sized + Eq> Eq for Arc<T> {}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}
