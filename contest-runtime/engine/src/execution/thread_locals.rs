//! Thread-locals of virtual threads. A value lives in a box of the code under test; the table of boxes is the engine's.

use std::hash::{Hash, Hasher};
use std::ptr::NonNull;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Alive,
    Dropped,
}

#[derive(Debug)]
struct Local {
    key: usize,
    value: NonNull<()>,
    drop_box: unsafe fn(NonNull<()>),
    state: State,
}

/// The thread-locals of one virtual thread, in order of creation.
#[derive(Debug, Default)]
pub(super) struct ThreadLocals(Vec<Local>);

/// Answer to a look-up.
pub(super) enum Found<T> {
    Value(*const T),
    Gone,
    Missing,
}

/// # Safety
/// `value` came from `Box::<T>::into_raw` and is not used again.
unsafe fn drop_box<T>(value: NonNull<()>) {
    // SAFETY: by this function's contract the value came from `Box::<T>::into_raw` and is not used again.
    drop(unsafe { Box::from_raw(value.cast::<T>().as_ptr()) });
}

impl ThreadLocals {
    pub(super) fn find<T: 'static>(&self, key: usize) -> Found<T> {
        match self.0.iter().find(|local| local.key == key) {
            Some(local) if local.state == State::Alive => {
                Found::Value(local.value.cast::<T>().as_ptr())
            }
            Some(_) => Found::Gone,
            None => Found::Missing,
        }
    }

    /// As [`ThreadLocals::find`], of a type that is `'static` in fact.
    ///
    /// # Safety
    /// The value with this key was inserted with type `T`.
    pub(super) unsafe fn find_unbounded<T>(&self, key: usize) -> Option<*const T> {
        // The newest: a value may take the place of a mark.
        let mut newest = self.0.iter().rev();
        let local = newest.find(|local| local.key == key && local.state == State::Alive)?;
        Some(local.value.cast::<T>().as_ptr())
    }

    /// Adds a value made by the caller, on the caller's side of the allocator.
    pub(super) fn insert<T: 'static>(&mut self, key: usize, value: Box<T>) -> *const T {
        // SAFETY: the value borrows nothing.
        unsafe { self.insert_unbounded(key, value) }
    }

    /// As [`ThreadLocals::insert`], of a type that is `'static` in fact.
    ///
    /// # Safety
    /// What the value borrows lives until the value is dropped.
    pub(super) unsafe fn insert_unbounded<T>(&mut self, key: usize, value: Box<T>) -> *const T {
        let pointer = Box::into_raw(value);
        let value = NonNull::new(pointer.cast::<()>()).expect("a box is never null");
        self.0.push(Local {
            key,
            value,
            drop_box: drop_box::<T>,
            state: State::Alive,
        });
        pointer
    }

    /// Takes the newest value that is still alive, as a destructor to be run in code under test. Keys stay known as
    /// gone.
    pub(super) fn take_newest(&mut self) -> Option<impl FnOnce() + use<>> {
        let local = self
            .0
            .iter_mut()
            .rev()
            .find(|local| local.state == State::Alive)?;
        local.state = State::Dropped;
        let (value, drop_box) = (local.value, local.drop_box);
        // SAFETY: the pair came from `insert`, and the state says that it is taken once only.
        Some(move || unsafe { drop_box(value) })
    }

    /// Hashes which values there are and where they lie; what is in them is memory of the code under test.
    pub(super) fn hash_places(&self, hasher: &mut impl Hasher) {
        for local in &self.0 {
            (local.key, local.value, local.state).hash(hasher);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets everything without running destructors.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}
