//! When two visible operations are dependent (ALGORITHMS 0.4), and when one merely enables the other (D.7, `raceconf`).
//!
//! Every operation accesses at most two objects, each in one of three classes; two accesses of one object are dependent unless both
//! are of the same class other than [`Class::Write`]. Deviations from the table, which only merge orders that cannot be told apart:
//! a notification is dependent with waits and not with other notifications, two waits on one condition variable are independent
//! (the set of waiters has no order), and a wake-up is ordered after the notification that caused it and no other.

use crate::trace::{Action, Event, LockMode, ObjectId, Pending, ThreadIndex};

/// How an operation accesses an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Dependent with every access.
    Write,
    /// Independent of other shares: loads, read locks, joins, condition waits.
    Share,
    /// Independent of other probes: failed try-locks, notifications.
    Probe,
}

impl Class {
    pub(crate) fn conflicts(self, other: Self) -> bool {
        self == Self::Write || other == Self::Write || self != other
    }
}

/// An operation as dependence sees it: executed or still pending.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    pub(crate) thread: ThreadIndex,
    pub(crate) action: Action,
    pub(crate) accesses: [(ObjectId, Class); 2],
    pub(crate) read: u64,
    pub(crate) wrote: u64,
    /// False for the `try_` forms, which never wait.
    pub(crate) waits: bool,
}

impl Operation {
    pub(crate) fn executed(event: &Event) -> Self {
        Self {
            thread: event.thread,
            action: event.action,
            accesses: accesses(event.action, event.object, event.second),
            read: event.read,
            wrote: event.wrote,
            waits: !event.name.starts_with("try_"),
        }
    }

    pub(crate) fn pending(thread: ThreadIndex, pending: &Pending) -> Self {
        Self {
            thread,
            action: pending.action,
            accesses: accesses(pending.action, pending.object, pending.second),
            read: 0,
            wrote: 0,
            waits: !pending.name.starts_with("try_"),
        }
    }

    /// The access of `object`, if any.
    pub(crate) fn class_on(&self, object: ObjectId) -> Option<Class> {
        self.accesses
            .iter()
            .find(|(accessed, _)| *accessed == object && object != ObjectId::NONE)
            .map(|(_, class)| *class)
    }

    /// True if the two operations, of different threads, do not commute.
    pub(crate) fn depends_on(&self, other: &Self) -> bool {
        self.accesses.iter().any(|&(object, class)| {
            other
                .class_on(object)
                .is_some_and(|other_class| class.conflicts(other_class))
        })
    }
}

fn accesses(action: Action, object: ObjectId, second: ObjectId) -> [(ObjectId, Class); 2] {
    use Class::{Probe, Share, Write};
    let none = (ObjectId::NONE, Share);
    match action {
        Action::Load(_) | Action::CasFail(_) => [(object, Share), none],
        Action::Store(_) | Action::Rmw(_) => [(object, Write), none],
        Action::Acquire(LockMode::Exclusive)
        | Action::Release(LockMode::Exclusive)
        | Action::TryAcquire(LockMode::Exclusive, true) => [(object, Write), none],
        Action::Acquire(LockMode::Read)
        | Action::Release(LockMode::Read)
        | Action::TryAcquire(LockMode::Read, true) => [(object, Share), none],
        Action::TryAcquire(_, false) | Action::AcquireTimeout(_) => [(object, Probe), none],
        Action::Wait => [(object, Share), (second, Write)],
        // The notification that woke it is tracked by thread, see `causality`.
        Action::Wake(false) => [none, (second, Write)],
        Action::Wake(true) => [(object, Share), (second, Write)],
        Action::Notify(_) | Action::FutexWake => [(object, Probe), none],
        Action::FutexWait(_) => [(object, Share), (second, Share)],
        Action::Park(_) | Action::Unpark => [(object, Write), none],
        Action::Send(true) | Action::Receive(true) | Action::Endpoint => [(object, Write), none],
        Action::Send(false) | Action::Receive(false) => [(object, Share), none],
        Action::OnceBegin(true) | Action::OnceEnd(_) => [(object, Write), none],
        Action::OnceBegin(false) | Action::OncePeek(_) => [(object, Share), none],
        Action::BarrierArrive => [(object, Write), none],
        Action::BarrierLeave(_) => [(object, Share), none],
        Action::Spawn(_) | Action::End => [(object, Write), none],
        Action::Join(_) => [(object, Share), none],
        Action::Begin => [(object, Write), none],
        Action::Fence(_)
        | Action::Yield
        | Action::Sleep
        | Action::CallBegin
        | Action::CallHold
        | Action::LaneEnd => [none, none],
    }
}

/// True if the two cannot change places because `later` could not have been executed right before `earlier`: `earlier` made it
/// possible, or saw the very state in which `later` has to wait.
pub(crate) fn enables(earlier: &Operation, later: &Operation) -> bool {
    let releases = matches!(earlier.action, Action::Release(_) | Action::Wait);
    let acquires = matches!(later.action, Action::Acquire(_) | Action::Wake(_));
    match (earlier.action, later.action) {
        _ if releases && acquires => earlier
            .accesses
            .iter()
            .any(|&(object, _)| later.class_on(object).is_some()),
        (Action::TryAcquire(_, false) | Action::AcquireTimeout(_), _) if acquires => true,
        (Action::Receive(false), Action::Receive(_)) | (Action::Send(false), Action::Send(_)) => {
            later.waits
        }
        (Action::OnceEnd(_), Action::OnceBegin(_)) => true,
        (Action::Unpark, Action::Park(false)) => earlier.read == 0,
        (Action::Send(true), Action::Receive(true)) => later.waits && earlier.read == 0,
        // A sender that waited for room, or for its message to be taken.
        (Action::Receive(true), Action::Send(_)) => later.waits && earlier.wrote == 1,
        (Action::End, Action::Join(_)) => true,
        (Action::BarrierArrive, Action::BarrierLeave(_)) => true,
        _ => false,
    }
}
