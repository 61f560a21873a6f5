//! Pointers into a cell that keep the access open.

use super::access::Access;

/// A `*const T` into an [`UnsafeCell`](super::UnsafeCell): while it is kept, the cell is being read.
#[derive(Debug)]
pub struct ConstPtr<T: ?Sized> {
    pointer: *const T,
    _access: Access,
}

/// A `*mut T` into an [`UnsafeCell`](super::UnsafeCell): while it is kept, the cell is being accessed mutably.
#[derive(Debug)]
pub struct MutPtr<T: ?Sized> {
    pointer: *mut T,
    _access: Access,
}

impl<T: ?Sized> ConstPtr<T> {
    pub(super) fn new(pointer: *const T, access: Access) -> Self {
        Self {
            pointer,
            _access: access,
        }
    }

    /// The value.
    ///
    /// # Safety
    /// As for `&*pointer`: the cell has not been moved or dropped, and nothing writes to it meanwhile. The engine
    /// reports only the accesses that it sees.
    #[must_use]
    pub unsafe fn deref(&self) -> &T {
        // SAFETY: promised by the caller.
        unsafe { &*self.pointer }
    }

    /// Calls `f` with the pointer itself, which must not be used after `f`.
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        f(self.pointer)
    }
}

impl<T: ?Sized> MutPtr<T> {
    pub(super) fn new(pointer: *mut T, access: Access) -> Self {
        Self {
            pointer,
            _access: access,
        }
    }

    /// The value.
    ///
    /// # Safety
    /// As for `&mut *pointer`: the cell has not been moved or dropped, and no other reference to the value is in use.
    /// The engine reports only the accesses that it sees.
    #[expect(clippy::mut_from_ref, reason = "it stands for a raw pointer")]
    #[must_use]
    pub unsafe fn deref(&self) -> &mut T {
        // SAFETY: promised by the caller.
        unsafe { &mut *self.pointer }
    }

    /// Calls `f` with the pointer itself, which must not be used after `f`.
    pub fn with<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.pointer)
    }
}
