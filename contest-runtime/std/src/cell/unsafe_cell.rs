//! `UnsafeCell` with accesses that the engine sees.

use std::fmt;

use super::access::CellState;
use super::pointers::{ConstPtr, MutPtr};

/// A `std::cell::UnsafeCell` whose accesses are checked.
///
/// Inside an execution, two accesses of different threads that nothing orders, one of them mutable, are a data race and
/// fail the model. An access also fails, with a panic, if another to the same cell has begun and not ended, and one of
/// the two is mutable: also in one thread, because a `&mut` may have been made from the pointer.
///
/// ```
/// use contest::cell::UnsafeCell;
///
/// let cell = UnsafeCell::new(1);
/// // SAFETY: no other thread has access to the cell.
/// cell.with_mut(|value| unsafe { *value += 1 });
/// assert_eq!(cell.into_inner(), 2);
/// ```
pub struct UnsafeCell<T: ?Sized> {
    state: CellState,
    data: std::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// A cell with this value.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self {
            state: CellState::new(),
            data: std::cell::UnsafeCell::new(value),
        }
    }

    /// The value; not an access, because the cell is owned.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.data.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Calls `f` with a pointer to the value, for reading. The pointer must not be used after `f`.
    ///
    /// # Panics
    /// Inside an execution, if the cell is being accessed mutably.
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        let _access = self.state.begin(false);
        f(self.data.get())
    }

    /// Calls `f` with a pointer to the value, for reading and writing. The pointer must not be used after `f`.
    ///
    /// # Panics
    /// Inside an execution, if the cell is being accessed.
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        let _access = self.state.begin(true);
        f(self.data.get())
    }

    /// A pointer to the value, for reading; the access lasts as long as the pointer is kept.
    ///
    /// # Panics
    /// Inside an execution, if the cell is being accessed mutably.
    #[track_caller]
    pub fn get(&self) -> ConstPtr<T> {
        ConstPtr::new(self.data.get(), self.state.begin(false))
    }

    /// A pointer to the value, for reading and writing; the access lasts as long as the pointer is kept.
    ///
    /// # Panics
    /// Inside an execution, if the cell is being accessed.
    #[track_caller]
    pub fn get_mut(&self) -> MutPtr<T> {
        MutPtr::new(self.data.get(), self.state.begin(true))
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}
