//! Undefined behaviour by what threads did to memory: data races, uses of freed memory, accesses out of bounds.

use std::panic::Location;

use super::event::{Action, Event, ThreadIndex};
use super::frame::{Frame, Origin};
use super::touched::Touched;

/// How a location was accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessKind {
    /// Plain read.
    Read,
    /// Plain write.
    Write,
    /// Atomic load, or a compare-exchange that failed.
    AtomicRead,
    /// Atomic store or read-modify-write.
    AtomicWrite,
    /// The memory was freed, or the object there was dropped or moved away: a plain write to all of it.
    Free,
}

impl AccessKind {
    /// True if it changes the location.
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(self, Self::Write | Self::AtomicWrite | Self::Free)
    }

    /// True for atomic operations.
    #[must_use]
    pub fn is_atomic(self) -> bool {
        matches!(self, Self::AtomicRead | Self::AtomicWrite)
    }

    /// True if two unordered accesses of these kinds are a data race: one of them writes, and one of them is not
    /// atomic.
    #[must_use]
    pub fn conflicts(self, other: Self) -> bool {
        (self.writes() || other.writes()) && !(self.is_atomic() && other.is_atomic())
    }

    /// As in reports: `read`, `write`, `atomic read`, `atomic write`, `free`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::AtomicRead => "atomic read",
            Self::AtomicWrite => "atomic write",
            Self::Free => "free",
        }
    }
}

/// Where in the program an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// A location in the source, known at compile time.
    Source(&'static Location<'static>),
    /// Number of a call stack of which only addresses are known yet; numbers mean nothing outside the process.
    Addresses(u32),
    /// A call stack, innermost function first, inlined ones included. Never empty.
    Stack(&'static [Frame]),
}

impl Place {
    /// The most relevant frame: the innermost one of the code under test, else the innermost of the driver. `None` if
    /// the stack is not known.
    #[must_use]
    pub fn telling_frame(&self) -> Option<&'static Frame> {
        let Self::Stack(frames) = *self else {
            return None;
        };
        let of = |origin| frames.iter().find(|frame| frame.origin() == origin);
        of(Origin::UnderTest)
            .or_else(|| of(Origin::Driver))
            .or_else(|| frames.first())
    }

    /// As in reports: `src/lib.rs:10:5`, the name of the function if the place is not known; empty if nothing is.
    #[must_use]
    pub fn location(&self) -> String {
        match self {
            Self::Source(location) => location.to_string(),
            Self::Addresses(_) => String::new(),
            Self::Stack(_) => self
                .telling_frame()
                .map_or_else(String::new, |frame| frame.place().to_owned()),
        }
    }

    /// As [`location`](Self::location), of the innermost function of the package under test rather than of its
    /// dependencies. Empty if only the driver's and the engine's functions are known.
    #[must_use]
    pub fn location_in_package(&self) -> String {
        let Self::Stack(frames) = *self else {
            return self.location();
        };
        let found = self.frame_in_package();
        let found = found.or_else(|| frames.iter().find(is_located));
        found.map_or_else(String::new, |frame| frame.place().to_owned())
    }

    /// The innermost function of the package under test, if one is on the stack.
    #[must_use]
    pub fn frame_in_package(&self) -> Option<&'static Frame> {
        let Self::Stack(frames) = *self else {
            return None;
        };
        let mut located = frames.iter().filter(is_located);
        located.find(|frame| !frame.of_dependency)
    }

    /// The outermost function of the package under test, if one is on the stack.
    #[must_use]
    pub fn outermost_in_package(self) -> Option<&'static Frame> {
        let Self::Stack(frames) = self else {
            return None;
        };
        let mut located = frames.iter().rev().filter(is_located);
        located.find(|frame| !frame.of_dependency)
    }

    /// True if the atomic operation is one of a drop-in type, or of what `std` keeps under its own types (`std::sync`,
    /// `std::sys`), as opposed to one of code under test, of an `Arc`, or of an atomic that it uses. True as well if
    /// the stack is not known.
    #[must_use]
    pub fn is_inside_drop_in(&self) -> bool {
        let Self::Stack(frames) = self else {
            return true;
        };
        let outside = frames
            .iter()
            .position(|frame| frame.origin() != Origin::Standard);
        let Some(outside) = outside else {
            return true;
        };
        frames[outside].origin() == Origin::Engine
            || frames[..outside].iter().any(|frame| {
                let function = frame.function.trim_start_matches('<');
                function.starts_with("std::")
            })
    }

    /// True if the access was made by the engine's own code, inlined into the code under test, on its own behalf.
    #[must_use]
    pub fn is_of_engine(&self) -> bool {
        let Self::Stack(frames) = self else {
            return false;
        };
        frames
            .iter()
            .map(Frame::origin)
            .find(|origin| *origin != Origin::Standard)
            == Some(Origin::Engine)
    }
}

/// A moment of an execution: which thread, when, and where in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Occurrence {
    /// Which thread.
    pub thread: ThreadIndex,
    /// How many visible operations of the execution, of any thread, came before it.
    pub step: u32,
    /// Where.
    pub place: Place,
}

impl Occurrence {
    /// The last operation of its thread before it by which threads are ordered: what it took, or gave to others. `None`
    /// if there was none since the thread was created.
    #[must_use]
    pub fn last_synchronisation<'e>(&self, events: &'e [Event]) -> Option<&'e Event> {
        events[..events.len().min(self.step as usize)]
            .iter()
            .rev()
            .find(|event| event.thread == self.thread && synchronises(event.action))
    }
}

/// An access that is part of a [`MemoryFault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FaultyAccess {
    /// How.
    pub kind: AccessKind,
    /// When and where.
    pub at: Occurrence,
}

/// One of the two things that make up a [`MemoryFault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deed {
    /// Memory was accessed, or freed.
    Access(AccessKind),
    /// The block was allocated that the address of an access is behind.
    Allocation,
    /// A value that must stay on its thread was made.
    Making,
    /// Such a value was dropped on another thread.
    Drop,
}

impl Deed {
    /// As in reports: the name of the [`AccessKind`], `allocation`, `making`, `drop`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Access(kind) => kind.name(),
            Self::Allocation => "allocation",
            Self::Making => "making",
            Self::Drop => "drop",
        }
    }

    /// What it was done to, where no name of that is known.
    #[must_use]
    pub fn of_what(self) -> &'static str {
        match self {
            Self::Making | Self::Drop => "a value that is not `Send`",
            Self::Access(_) | Self::Allocation => "memory",
        }
    }
}

/// Undefined behaviour in one execution, whatever the results of the execution were.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryFault {
    /// Nothing orders the second access after the first; one of them writes, and one is not atomic.
    Race {
        /// The access that came first in this execution.
        first: FaultyAccess,
        /// The one that came second.
        second: FaultyAccess,
        /// What both accessed, as far as it is known.
        touched: Option<Touched>,
    },
    /// Freed memory was accessed.
    UseAfterFree {
        /// The free.
        freed: Occurrence,
        /// The access after it.
        access: FaultyAccess,
        /// What was accessed, as far as it is known.
        touched: Option<Touched>,
    },
    /// Memory was freed after an access, and nothing orders the free after the access: it could have come first.
    UnorderedFree {
        /// The access.
        access: FaultyAccess,
        /// The free after it.
        freed: Occurrence,
        /// What was accessed, as far as it is known.
        touched: Option<Touched>,
    },
    /// Freed memory was freed again.
    DoubleFree {
        /// The free that came first in this execution.
        first: Occurrence,
        /// The one that came second.
        second: Occurrence,
        /// What was freed, as far as it is known.
        touched: Option<Touched>,
    },
    /// Memory that is in no block was accessed.
    OutOfBounds {
        /// The allocation of the block before it, if that is known.
        allocated: Option<Occurrence>,
        /// The access.
        access: FaultyAccess,
        /// What was accessed, as far as it is known.
        touched: Option<Touched>,
    },
    /// A value that must stay on its thread was dropped by another one.
    WrongThread {
        /// Where it was made.
        made: Occurrence,
        /// Where it was dropped.
        dropped: Occurrence,
    },
}

impl MemoryFault {
    /// Of two accesses, of which nothing orders the second after the first and at least one writes.
    #[must_use]
    pub fn unordered(first: FaultyAccess, second: FaultyAccess) -> Self {
        let touched = None;
        match (first.kind, second.kind) {
            (AccessKind::Free, _) => Self::after_free(first.at, second, touched),
            (_, AccessKind::Free) => Self::UnorderedFree {
                access: first,
                freed: second.at,
                touched,
            },
            _ => Self::Race {
                first,
                second,
                touched,
            },
        }
    }

    /// Of an access to freed memory, ordered or not.
    #[must_use]
    pub fn after_free(freed: Occurrence, access: FaultyAccess, touched: Option<Touched>) -> Self {
        if access.kind == AccessKind::Free {
            return Self::DoubleFree {
                first: freed,
                second: access.at,
                touched,
            };
        }
        Self::UseAfterFree {
            freed,
            access,
            touched,
        }
    }

    /// What came first in this execution, if that is known.
    #[must_use]
    pub fn first(&self) -> Option<(Deed, Occurrence)> {
        let free = Deed::Access(AccessKind::Free);
        match *self {
            Self::Race { first: access, .. } | Self::UnorderedFree { access, .. } => {
                Some((Deed::Access(access.kind), access.at))
            }
            Self::UseAfterFree { freed: first, .. } | Self::DoubleFree { first, .. } => {
                Some((free, first))
            }
            Self::OutOfBounds { allocated, .. } => Some((Deed::Allocation, allocated?)),
            Self::WrongThread { made, .. } => Some((Deed::Making, made)),
        }
    }

    /// What came second.
    #[must_use]
    pub fn second(&self) -> (Deed, Occurrence) {
        let free = Deed::Access(AccessKind::Free);
        match *self {
            Self::Race { second: access, .. }
            | Self::UseAfterFree { access, .. }
            | Self::OutOfBounds { access, .. } => (Deed::Access(access.kind), access.at),
            Self::UnorderedFree { freed: second, .. } | Self::DoubleFree { second, .. } => {
                (free, second)
            }
            Self::WrongThread { dropped, .. } => (Deed::Drop, dropped),
        }
    }

    /// Both, in order, as far as they are known.
    pub fn deeds(&self) -> impl Iterator<Item = (Deed, Occurrence)> {
        self.first().into_iter().chain([self.second()])
    }

    /// What was accessed, as far as it is known.
    #[must_use]
    pub fn touched(&self) -> Option<&Touched> {
        match self {
            Self::Race { touched, .. }
            | Self::UseAfterFree { touched, .. }
            | Self::UnorderedFree { touched, .. }
            | Self::DoubleFree { touched, .. }
            | Self::OutOfBounds { touched, .. } => touched.as_ref(),
            Self::WrongThread { .. } => None,
        }
    }

    /// Where to put what was accessed; `None` if it is about no access.
    pub fn touched_mut(&mut self) -> Option<&mut Option<Touched>> {
        match self {
            Self::Race { touched, .. }
            | Self::UseAfterFree { touched, .. }
            | Self::UnorderedFree { touched, .. }
            | Self::DoubleFree { touched, .. }
            | Self::OutOfBounds { touched, .. } => Some(touched),
            Self::WrongThread { .. } => None,
        }
    }

    /// As [`deeds`](Self::deeds), to give places their names.
    pub fn deeds_mut(&mut self) -> impl Iterator<Item = (Deed, &mut Occurrence)> {
        let deeds = [self.first().map(|(deed, _)| deed), Some(self.second().0)];
        let (first, second) = match self {
            Self::Race { first, second, .. } => (Some(&mut first.at), &mut second.at),
            Self::UseAfterFree { freed, access, .. } => (Some(freed), &mut access.at),
            Self::UnorderedFree { access, freed, .. } => (Some(&mut access.at), freed),
            Self::DoubleFree { first, second, .. } => (Some(first), second),
            Self::OutOfBounds {
                allocated, access, ..
            } => (allocated.as_mut(), &mut access.at),
            Self::WrongThread { made, dropped } => (Some(made), dropped),
        };
        deeds
            .into_iter()
            .flatten()
            .zip(first.into_iter().chain([second]))
    }

    /// True if it is a fault only because nothing orders the two accesses: the other faults happened in this very
    /// order.
    #[must_use]
    pub fn rests_on_order(&self) -> bool {
        matches!(self, Self::Race { .. } | Self::UnorderedFree { .. })
    }

    /// True if the same was done at the same two source locations, in either order.
    #[must_use]
    pub fn same_locations(&self, other: &Self) -> bool {
        let key = |(deed, at): (Deed, Occurrence)| (at.place.location(), deed);
        let (a, b) = (self.first().map(key), Some(key(self.second())));
        let (c, d) = (other.first().map(key), Some(key(other.second())));
        (&a, &b) == (&c, &d) || (a, b) == (d, c)
    }

    /// True if the same was done at the same two places of the program, in either order.
    #[must_use]
    pub fn same_places(&self, other: &Self) -> bool {
        let key = |(deed, at): (Deed, Occurrence)| (at.place, deed);
        let (a, b) = (self.first().map(key), Some(key(self.second())));
        let (c, d) = (other.first().map(key), Some(key(other.second())));
        (a, b) == (c, d) || (a, b) == (d, c)
    }
}

/// True for operations that can order threads; relaxed atomics cannot.
fn synchronises(action: Action) -> bool {
    use std::sync::atomic::Ordering::Relaxed;
    match action {
        Action::Load(order)
        | Action::Store(order)
        | Action::Rmw(order, _)
        | Action::CasFail(order) => order != Relaxed,
        Action::AcquireTimeout(_)
        | Action::TryAcquire(_, false)
        | Action::Arrive(false)
        | Action::Notify(_)
        | Action::Park(true)
        | Action::FutexWait(_)
        | Action::FutexWake
        | Action::PlainRead
        | Action::PlainWrite
        | Action::Begin
        | Action::End
        | Action::Yield
        | Action::Sleep
        | Action::CallBegin
        | Action::CallHold
        | Action::LaneEnd => false,
        _ => true,
    }
}

/// True for a function under test whose place in the source is known.
fn is_located(frame: &&Frame) -> bool {
    frame.origin() == Origin::UnderTest && !frame.location.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(functions: &[&str]) -> bool {
        let frames = functions.iter().map(|function| Frame {
            function: (*function).to_owned(),
            ..Frame::default()
        });
        let frames: Vec<Frame> = frames.collect();
        Place::Stack(frames.leak()).is_inside_drop_in()
    }

    #[test]
    fn atomics_of_an_arc_and_of_user_code_are_not_those_of_a_drop_in_type() {
        let user = "queue::Queue<T>::push";
        assert!(!inside(&[user]));
        assert!(!inside(&["core::sync::atomic::AtomicUsize::load", user]));
        let drop = "<alloc::sync::Arc<T> as core::ops::drop::Drop>::drop";
        assert!(!inside(&["core::sync::atomic::atomic_sub", drop, user]));
        let real = "std::sys::sync::rwlock::futex::RwLock::write";
        let load = "core::sync::atomic::AtomicU32::load";
        assert!(inside(&[
            load,
            real,
            "contest::sync::RwLock<T>::write",
            user
        ]));
        let end = "<std::sync::mpsc::Receiver<T> as core::ops::drop::Drop>::drop";
        assert!(inside(&[load, end, "core::ptr::drop_in_place", user]));
        assert!(inside(&[]));
    }
}
