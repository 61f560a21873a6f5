//! `Thread`, the handle of a thread that can be unparked.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::id::ThreadId;
use crate::execution::{Active, active};
use crate::trace::ThreadIndex;

/// Drop-in for `std::thread::Thread`. Two words: there are crates that count on a small handle.
#[derive(Clone)]
pub struct Thread(Kind);

#[derive(Clone)]
enum Kind {
    Real(std::thread::Thread),
    Virtual(Arc<VirtualThread>),
}

struct VirtualThread {
    index: ThreadIndex,
    /// The name, once asked for.
    name: OnceLock<Option<Box<str>>>,
}

/// As in `std`: the handle of the thread that calls it.
#[must_use]
pub fn current() -> Thread {
    match active() {
        None => Thread::real(std::thread::current()),
        Some(active) => Thread(Kind::Virtual(Arc::new(VirtualThread {
            index: active.current(),
            name: OnceLock::new(),
        }))),
    }
}

impl Thread {
    pub(super) fn real(thread: std::thread::Thread) -> Self {
        Self(Kind::Real(thread))
    }

    pub(super) fn named_virtual(index: ThreadIndex, name: Option<&str>) -> Self {
        Self(Kind::Virtual(Arc::new(VirtualThread {
            index,
            name: OnceLock::from(name.map(Box::from)),
        })))
    }

    /// Its number in the execution, if it is a virtual one.
    pub(super) fn index(&self) -> Option<ThreadIndex> {
        match &self.0 {
            Kind::Real(_) => None,
            Kind::Virtual(thread) => Some(thread.index),
        }
    }

    /// As in `std`. Of a virtual thread whose execution is over: does nothing.
    #[inline]
    #[track_caller]
    pub fn unpark(&self) {
        match &self.0 {
            Kind::Real(thread) => thread.unpark(),
            Kind::Virtual(thread) => {
                if let Some(active) = active() {
                    active.unpark(thread.index);
                }
            }
        }
    }

    /// As in `std`, without its `must_use`: loom's has none.
    pub fn id(&self) -> ThreadId {
        match &self.0 {
            Kind::Real(thread) => ThreadId::of_real(thread.id()),
            Kind::Virtual(thread) => ThreadId::of_virtual(thread.index),
        }
    }

    /// As in `std`.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            Kind::Real(thread) => thread.name(),
            Kind::Virtual(thread) => thread
                .name
                .get_or_init(|| match thread.index {
                    ThreadIndex::MAIN if active().is_some_and(Active::main_is_nameless) => None,
                    ThreadIndex::MAIN => Some(Box::from("main")),
                    index => active()?.thread_name(index).map(Box::from),
                })
                .as_deref(),
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
