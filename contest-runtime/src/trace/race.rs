//! Two accesses to one location that nothing orders.

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
    /// No access: the block before the place of an access that is outside of all blocks was allocated.
    Allocate,
    /// No access: a value that must stay on its thread was made.
    Make,
    /// No access: such a value was dropped, on another thread.
    Drop,
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

    /// True if two unordered accesses of these kinds are a data race: one of them writes, and one of them is not atomic.
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
            Self::Allocate => "allocation",
            Self::Make => "making",
            Self::Drop => "drop",
        }
    }

    /// What is accessed, where no name of it is known.
    #[must_use]
    pub fn of_what(self) -> &'static str {
        match self {
            Self::Make | Self::Drop => "a value that is not `Send`",
            _ => "memory",
        }
    }
}

/// Where in the program an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// In the source, as the compiler tells.
    Source(&'static Location<'static>),
    /// Number of a call stack of which only addresses are known yet; numbers mean nothing outside the process.
    Addresses(u32),
    /// A call stack, innermost function first, inlined ones included. Never empty.
    Stack(&'static [Frame]),
}

impl Place {
    /// The frame that tells most: the innermost one of the code under test, else the innermost of the driver. `None` if the stack is
    /// not known.
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

    /// True if the atomic operation is one of a drop-in type, or of what `std` keeps under its own types (`std::sync`, `std::sys`), as opposed to one of
    /// code under test, of an `Arc`, or of an atomic that it uses. True as well if the stack is not known.
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

/// One of the two accesses of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RacingAccess {
    /// Who.
    pub thread: ThreadIndex,
    /// How many visible operations of the execution, of any thread, came before it.
    pub step: u32,
    /// Where.
    pub place: Place,
    /// How.
    pub kind: AccessKind,
}

impl RacingAccess {
    /// The last visible operation of its thread before the access.
    #[must_use]
    pub fn event_before<'e>(&self, events: &'e [Event]) -> Option<&'e Event> {
        self.before(events).next()
    }

    /// The last operation of its thread before the access by which threads are ordered: what it took, or gave to others. `None` if there
    /// was none since the thread was created.
    #[must_use]
    pub fn last_synchronisation<'e>(&self, events: &'e [Event]) -> Option<&'e Event> {
        self.before(events).find(|event| synchronises(event.action))
    }

    fn before<'e>(&self, events: &'e [Event]) -> impl Iterator<Item = &'e Event> {
        let thread = self.thread;
        events[..events.len().min(self.step as usize)]
            .iter()
            .rev()
            .filter(move |event| event.thread == thread)
    }
}

/// A data race of one execution: undefined behaviour, whatever the result of the execution was. If the first access is a
/// [`Free`](AccessKind::Free), it is use after free (or double free), ordered or not; if it is an [`Allocate`](AccessKind::Allocate), the second
/// one is out of bounds; and if it is a [`Make`](AccessKind::Make), the second one drops on another thread what must not leave its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Race {
    /// The access that came first in this execution.
    pub first: RacingAccess,
    /// The one that came second, with nothing to order it after the first.
    pub second: RacingAccess,
    /// What both accessed, as far as it is known.
    pub touched: Option<Touched>,
}

impl Race {
    /// True if the race is between the same two source locations, in the same ways, in either order.
    #[must_use]
    pub fn same_locations(&self, other: &Self) -> bool {
        let key = |access: &RacingAccess| (access.place.location(), access.kind);
        let (a, b) = (key(&self.first), key(&self.second));
        let (c, d) = (key(&other.first), key(&other.second));
        (&a, &b) == (&c, &d) || (a, b) == (d, c)
    }

    /// True if the race is between the same two places of the program, in the same ways, in either order.
    #[must_use]
    pub fn same_places(&self, other: &Self) -> bool {
        let key = |access: &RacingAccess| (access.place, access.kind);
        let (a, b) = (key(&self.first), key(&self.second));
        let (c, d) = (key(&other.first), key(&other.second));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(functions: &[&str]) -> bool {
        let frames = functions.iter().map(|function| Frame {
            function: (*function).to_owned(),
            location: String::new(),
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
