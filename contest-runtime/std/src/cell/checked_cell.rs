//! `Cell` with accesses that the engine sees.

use std::cmp::Ordering;

use super::UnsafeCell;

/// A `std::cell::Cell` whose accesses are checked, for types that share one between threads by `unsafe impl Sync`.
#[derive(Debug, Default)]
pub struct Cell<T> {
    cell: UnsafeCell<T>,
}

impl<T> Cell<T> {
    /// A cell with this value.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self {
            cell: UnsafeCell::new(value),
        }
    }

    /// Puts a value in; the old one is dropped after the access.
    #[track_caller]
    pub fn set(&self, value: T) {
        drop(self.replace(value));
    }

    /// Exchanges the values of two cells.
    #[track_caller]
    pub fn swap(&self, other: &Self) {
        if std::ptr::eq(self, other) {
            return;
        }
        self.cell.with_mut(|mine| {
            other.cell.with_mut(|theirs| {
                // SAFETY: two different cells; each pointer is used only here, where no reference to a value exists.
                unsafe { std::ptr::swap(mine, theirs) };
            });
        });
    }

    /// Puts a value in and returns the old one.
    #[track_caller]
    pub fn replace(&self, value: T) -> T {
        self.cell.with_mut(|old| {
            // SAFETY: no reference to the value exists: none is ever given out.
            unsafe { std::mem::replace(&mut *old, value) }
        })
    }

    /// A copy of the value.
    #[track_caller]
    #[must_use]
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        self.cell.with(|value| {
            // SAFETY: no mutable reference to the value exists.
            unsafe { *value }
        })
    }

    /// Takes the value and leaves the default one.
    #[track_caller]
    #[must_use]
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.replace(T::default())
    }

    /// The value; not an access, because the cell is owned.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.cell.into_inner()
    }
}

impl<T: Copy> Clone for Cell<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        Self::new(self.get())
    }
}

impl<T> From<T> for Cell<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: PartialEq + Copy> PartialEq for Cell<T> {
    #[track_caller]
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq + Copy> Eq for Cell<T> {}

impl<T: PartialOrd + Copy> PartialOrd for Cell<T> {
    #[track_caller]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.get().partial_cmp(&other.get())
    }
}

impl<T: Ord + Copy> Ord for Cell<T> {
    #[track_caller]
    fn cmp(&self, other: &Self) -> Ordering {
        self.get().cmp(&other.get())
    }
}
