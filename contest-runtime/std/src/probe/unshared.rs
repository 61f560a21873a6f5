//! A value that two threads must not use at once.

use std::cell::Cell;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use contest_engine::execution::active;

/// `Send` and not `Sync`, as `Cell<u32>` is: every use of it, by its traits, counts in the value itself, without
/// synchronisation.
///
/// An `unsafe impl<T> Sync for Shared<T>` without `T: Sync` admits `Shared<Unshared>`. If two threads then use the same
/// value at once, that is a data race, which is reported like any other. All values are equal, and look the same.
pub struct Unshared {
    uses: Cell<u32>,
    /// What the engine knows the value by, which moves.
    name: Cell<u64>,
}

impl Unshared {
    /// An unused value.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            uses: Cell::new(0),
            name: Cell::new(0),
        }
    }

    #[track_caller]
    fn count(&self) {
        self.uses.set(self.uses.get().wrapping_add(1));
        if let Some(active) = active() {
            let location = active.own_location(&self.name, size_of::<u32>());
            active.plain_write(location, size_of::<u32>());
        }
    }
}

impl Default for Unshared {
    fn default() -> Self {
        Self::new()
    }
}

impl Clone for Unshared {
    #[track_caller]
    fn clone(&self) -> Self {
        self.count();
        Self::new()
    }
}

impl PartialEq for Unshared {
    #[track_caller]
    fn eq(&self, other: &Self) -> bool {
        self.count();
        other.count();
        true
    }
}

impl Eq for Unshared {}

impl PartialOrd for Unshared {
    #[track_caller]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Unshared {
    #[track_caller]
    fn cmp(&self, other: &Self) -> Ordering {
        self.count();
        other.count();
        Ordering::Equal
    }
}

impl Hash for Unshared {
    #[track_caller]
    fn hash<H: Hasher>(&self, _state: &mut H) {
        self.count();
    }
}

impl fmt::Debug for Unshared {
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.count();
        f.write_str("Unshared")
    }
}
