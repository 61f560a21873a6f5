//! Cells of `std` in annotated types: the same interface, and accesses that are held against each other for data races.
//!
//! Without `from_mut` and `as_slice_of_cells`, which make a cell of memory that is none. What is done with the pointer
//! that [`UnsafeCell::get`] returns is reported by the macros, see [`cell_access`](super::cell_access).

use std::cell;
use std::cmp::Ordering;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use contest_engine::execution::active;

/// Where a cell is, for the race detector: a name of its own instead of its address, so that a cell in memory which
/// was freed and used again is another one.
#[derive(Default)]
struct Location(AtomicU64);

impl Location {
    const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// An access at the caller's place, of a cell with contents at an address, of so many bytes, to a part of these:
    /// where that begins, of so many bytes.
    #[track_caller]
    fn access(&self, of: (usize, usize), part: (usize, usize), reads: bool, writes: bool) {
        let Some(active) = active() else {
            return;
        };
        let ((address, size), (offset, bytes)) = (of, part);
        // Written inside executions only, where one thread runs at a time.
        let slot = cell::Cell::new(self.0.load(Relaxed));
        let location = active.own_location(&slot, size);
        self.0.store(slot.get(), Relaxed);
        active.name_cell(location, address, size);
        let location = location + offset;
        if reads {
            active.plain_read(location, bytes.max(1));
        }
        if writes {
            active.plain_write(location, bytes.max(1));
        }
    }
}

/// Stands for `std::cell::UnsafeCell`.
#[derive(Default)]
pub struct UnsafeCell<T: ?Sized> {
    location: Location,
    data: cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// As in `std`.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self {
            location: Location::new(),
            data: cell::UnsafeCell::new(value),
        }
    }

    /// As in `std`; no access, because the cell is owned.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.data.into_inner()
    }

    /// As in `std`.
    #[must_use]
    pub const fn raw_get(this: *const Self) -> *mut T {
        this.cast::<u8>()
            .wrapping_add(std::mem::offset_of!(Self, data))
            .cast::<T>()
            .cast_mut()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// As in `std`; no access.
    #[must_use]
    pub const fn get(&self) -> *mut T {
        self.data.get()
    }

    /// As in `std`; no access, because the cell is borrowed for itself.
    #[must_use]
    pub const fn get_mut(&mut self) -> &mut T {
        self.data.get_mut()
    }

    /// Reports an access to the part of the contents that begins at `address`, at the caller's place.
    ///
    /// What is not a part of them was reached through a reference in them, which is read.
    #[track_caller]
    pub(super) fn access(&self, address: usize, bytes: usize, reads: bool, writes: bool) {
        let size = size_of_val(&self.data);
        let start = self.data.get().cast::<u8>().addr();
        let offset = address.wrapping_sub(start);
        let (of, whole) = ((start, size), (0, size));
        if offset.checked_add(bytes).is_some_and(|end| end <= size) {
            self.location.access(of, (offset, bytes), reads, writes);
        } else {
            self.location.access(of, whole, true, false);
        }
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

/// Stands for `std::cell::Cell`.
#[derive(Default)]
pub struct Cell<T: ?Sized> {
    location: Location,
    data: cell::Cell<T>,
}

impl<T> Cell<T> {
    /// As in `std`.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self {
            location: Location::new(),
            data: cell::Cell::new(value),
        }
    }

    #[track_caller]
    fn access(&self, reads: bool, writes: bool) {
        let size = size_of::<T>();
        let start = self.data.as_ptr().cast::<u8>().addr();
        self.location
            .access((start, size), (0, size), reads, writes);
    }

    /// As in `std`.
    #[track_caller]
    pub fn set(&self, value: T) {
        self.access(false, true);
        self.data.set(value);
    }

    /// As in `std`.
    #[track_caller]
    pub fn swap(&self, other: &Self) {
        self.access(true, true);
        other.access(true, true);
        self.data.swap(&other.data);
    }

    /// As in `std`.
    #[track_caller]
    pub fn replace(&self, value: T) -> T {
        self.access(true, true);
        self.data.replace(value)
    }

    /// As in `std`.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.data.into_inner()
    }

    /// As in `std`.
    #[track_caller]
    #[must_use]
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        self.access(true, false);
        self.data.get()
    }

    /// As in `std`.
    #[track_caller]
    pub fn update(&self, f: impl FnOnce(T) -> T)
    where
        T: Copy,
    {
        self.access(true, false);
        let value = f(self.data.get());
        self.access(false, true);
        self.data.set(value);
    }

    /// As in `std`.
    #[track_caller]
    #[must_use]
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.replace(T::default())
    }
}

impl<T: ?Sized> Cell<T> {
    /// As in `std`; no access.
    #[must_use]
    pub const fn as_ptr(&self) -> *mut T {
        self.data.as_ptr()
    }

    /// As in `std`.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut T {
        self.data.get_mut()
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

impl<T: Copy + fmt::Debug> fmt::Debug for Cell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cell")
            .field("value", &self.data.get())
            .finish()
    }
}

impl<T: Copy + PartialEq> PartialEq for Cell<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Copy + Eq> Eq for Cell<T> {}

impl<T: Copy + PartialOrd> PartialOrd for Cell<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.get().partial_cmp(&other.get())
    }
}

impl<T: Copy + Ord> Ord for Cell<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.get().cmp(&other.get())
    }
}
