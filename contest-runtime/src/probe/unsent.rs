//! A value that must not leave the thread that made it.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::MutexGuard;

use crate::execution::active;
use crate::memory::access::place_of_caller;
use crate::trace::Occurrence;

/// `Sync` and not `Send`, as `MutexGuard<u32>` is: all threads may look at it, and only the one that made it may drop it.
///
/// An `unsafe impl<T: Sync> Sync for Shared<T>` without `T: Send` admits `Shared<Unsent>`. If `Shared` takes values by a shared reference, one thread
/// can put in what another one drops; that is a finding
/// ([`MemoryFault::WrongThread`](crate::trace::MemoryFault::WrongThread)). All values are equal, and look the same; a
/// copy belongs to the thread that copies.
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

#[cfg(test)]
mod tests {
    use std::cell::{RefCell, UnsafeCell};

    use super::Unsent;
    use crate::FindingKind;
    use crate::sync::{Arc, Mutex};

    /// A place for one value, put there and taken away by shared references.
    #[derive(Default)]
    struct Claims<T>(UnsafeCell<Option<T>>);
    // SAFETY: none: it is what the tests are about.
    unsafe impl<T: Sync> Sync for Claims<T> {}
    // SAFETY: the tests move no value in it.
    unsafe impl<T: Sync> Send for Claims<T> {}

    impl<T> Claims<T> {
        fn swap(&self, new: Option<T>) -> Option<T> {
            // SAFETY: the tests call it when nobody else does.
            unsafe { std::mem::replace(&mut *self.0.get(), new) }
        }

        fn get(&self) -> Option<&T> {
            // SAFETY: as above.
            unsafe { (*self.0.get()).as_ref() }
        }
    }

    fn is_sync<T: Sync>() {}

    #[test]
    fn what_one_thread_made_and_another_one_drops_is_a_finding() {
        is_sync::<Unsent>();
        let report = crate::Builder::new().exhaustive().run(|| {
            let shared = Arc::new(Claims::default());
            let theirs = Arc::clone(&shared);
            let thread = crate::thread::spawn(move || drop(theirs.swap(Some(Unsent::new()))));
            thread.join().unwrap();
            drop(shared.swap(None));
        });
        let finding = &report.findings()[0];
        assert_eq!(finding.kind, FindingKind::WrongThread);
        assert!(
            finding.locations[0].contains("unsent.rs"),
            "{:?}",
            finding.locations
        );
    }

    #[test]
    fn what_stays_or_is_only_looked_at_or_comes_back_is_none() {
        crate::thread_local!(static KEPT: RefCell<Vec<Unsent>> = RefCell::default());
        crate::Builder::new().exhaustive().check(|| {
            let shared = Arc::new(Claims::default());
            let rounds = Arc::new(Mutex::new(0));
            shared.swap(Some(Unsent::new()));
            let (theirs, counted) = (Arc::clone(&shared), Arc::clone(&rounds));
            let thread = crate::thread::spawn(move || {
                let mut counted = counted.lock().unwrap();
                let copy = theirs.get().unwrap().clone();
                assert_eq!(Some(&copy), theirs.get());
                // Dropped by its own thread, when that ends.
                KEPT.with(|kept| kept.borrow_mut().push(copy));
                *counted += 1;
            });
            drop(rounds.lock().unwrap());
            thread.join().unwrap();
            drop(shared.swap(None));
        });
    }

    #[test]
    fn values_of_other_executions_and_of_none_are_nobodys() {
        let outside = Arc::new(Claims::default());
        outside.swap(Some(Unsent::new()));
        for _ in 0..2 {
            let shared = Arc::clone(&outside);
            let model = crate::Builder::new().exhaustive().allow_no_decisions();
            model.check(move || {
                let theirs = Arc::clone(&shared);
                let thread = crate::thread::spawn(move || drop(theirs.swap(None)));
                thread.join().unwrap();
                // For the thread of the next execution.
                shared.swap(Some(Unsent::new()));
            });
        }
    }
}
