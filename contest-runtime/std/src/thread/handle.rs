//! `Thread`, the handle of a thread that can be unparked.

use std::fmt;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::id::ThreadId;
use contest_data::trace::ThreadIndex;
use contest_engine::execution::{Active, MainName, active};

/// Drop-in for `std::thread::Thread`. Two words: there are crates that count on a small handle.
#[derive(Clone)]
pub struct Thread(Kind);

#[derive(Clone)]
enum Kind {
    Real(std::thread::Thread),
    Virtual(ThreadIndex, Name),
}

/// The name of a virtual thread: null until it is known. No allocation for a thread that has none, and one word.
struct Name(AtomicPtr<Box<str>>);

impl Name {
    fn new(name: Option<&str>) -> Self {
        Self(AtomicPtr::new(name.map_or(null_mut(), boxed)))
    }

    fn get(&self) -> Option<&str> {
        // SAFETY: null or made by `boxed`; what is set stays as it is until `self` is dropped.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }.map(|name| &**name)
    }

    /// The name, which is this one if there was none.
    fn get_or_set(&self, name: &str) -> Option<&str> {
        let new = boxed(name);
        let set = self
            .0
            .compare_exchange(null_mut(), new, Ordering::AcqRel, Ordering::Acquire);
        if set.is_err() {
            // SAFETY: made above; the exchange failed, so there is no other pointer to it.
            drop(unsafe { Box::from_raw(new) });
        }
        self.get()
    }
}

fn boxed(name: &str) -> *mut Box<str> {
    Box::into_raw(Box::new(Box::from(name)))
}

impl Clone for Name {
    fn clone(&self) -> Self {
        Self::new(self.get())
    }
}

impl Drop for Name {
    #[inline]
    fn drop(&mut self) {
        let name = *self.0.get_mut();
        if !name.is_null() {
            // SAFETY: made by `boxed`; references to it borrow `self`, so there are none left.
            drop(unsafe { Box::from_raw(name) });
        }
    }
}

/// As in `std`: the handle of the thread that calls it.
#[must_use]
pub fn current() -> Thread {
    match active() {
        None => Thread::real(std::thread::current()),
        Some(active) => Thread::named_virtual(active.current(), None),
    }
}

impl Thread {
    pub(super) fn real(thread: std::thread::Thread) -> Self {
        Self(Kind::Real(thread))
    }

    /// `name`: if known; else it is looked up in the execution when it is first needed.
    #[inline]
    pub(super) fn named_virtual(index: ThreadIndex, name: Option<&str>) -> Self {
        Self(Kind::Virtual(index, Name::new(name)))
    }

    /// Its number in the execution, if it is a virtual one.
    pub(super) fn index(&self) -> Option<ThreadIndex> {
        match &self.0 {
            Kind::Real(_) => None,
            Kind::Virtual(index, _) => Some(*index),
        }
    }

    /// As in `std`. Of a virtual thread whose execution is over: does nothing.
    #[inline]
    #[track_caller]
    pub fn unpark(&self) {
        match &self.0 {
            Kind::Real(thread) => thread.unpark(),
            Kind::Virtual(index, _) => {
                if let Some(active) = active() {
                    active.unpark(*index);
                }
            }
        }
    }

    /// As in `std`, without its `must_use`: loom's has none.
    pub fn id(&self) -> ThreadId {
        match &self.0 {
            Kind::Real(thread) => ThreadId::of_real(thread.id()),
            Kind::Virtual(index, _) => ThreadId::of_virtual(*index),
        }
    }

    /// As in `std`.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            Kind::Real(thread) => thread.name(),
            Kind::Virtual(ThreadIndex::MAIN, name) if name.get().is_none() => {
                match active().map(Active::main_name).unwrap_or_default() {
                    MainName::Main => Some("main"),
                    MainName::Nameless => None,
                    MainName::Given(given) => name.get_or_set(&given),
                }
            }
            Kind::Virtual(index, name) => match name.get() {
                Some(name) => Some(name),
                None => name.get_or_set(&active()?.thread_name(*index)?),
            },
        }
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread")
            .field("id", &self.id())
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}
