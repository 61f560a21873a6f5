//! A value that must not leave the thread that made it.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::MutexGuard;

use contest_data::trace::Occurrence;
use contest_engine::execution::active;
use contest_engine::execution::place_of_caller;

/// `Sync` and not `Send`, as `MutexGuard<u32>` is: all threads may look at it, and only the one that made it may drop it.
///
/// An `unsafe impl<T: Sync> Sync for Shared<T>` without `T: Send` admits `Shared<Unsent>`. If `Shared` takes values by
/// a shared reference, one thread can put in what another one drops; that is a finding
/// ([`MemoryFault::WrongThread`](contest_data::trace::MemoryFault::WrongThread)). All values are equal, and look the
/// same; a copy belongs to the thread that copies.
pub struct Unsent {
    /// Where, and what the engine knows the execution by.
    made: Option<(Occurrence, u64)>,
    not_send: PhantomData<MutexGuard<'static, ()>>,
}

impl Unsent {
    /// A value of the running thread.
    #[track_caller]
    #[must_use]
    pub fn new() -> Self {
        let here = Location::caller();
        Self {
            made: active().map(|active| active.made(here)),
            not_send: PhantomData,
        }
    }
}

impl Drop for Unsent {
    // A function with a frame of its own, or the place it is called from would be another one.
    #[inline(never)]
    fn drop(&mut self) {
        if let (Some(active), Some(made)) = (active(), self.made) {
            active.dropped(made, place_of_caller());
        }
    }
}

impl Default for Unsent {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl Clone for Unsent {
    #[track_caller]
    fn clone(&self) -> Self {
        Self::new()
    }
}

impl PartialEq for Unsent {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Unsent {}

impl PartialOrd for Unsent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Unsent {
    fn cmp(&self, _other: &Self) -> Ordering {
        Ordering::Equal
    }
}

impl Hash for Unsent {
    fn hash<H: Hasher>(&self, _state: &mut H) {}
}

impl fmt::Debug for Unsent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unsent")
    }
}
