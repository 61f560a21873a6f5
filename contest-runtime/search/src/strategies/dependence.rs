//! When two visible operations are dependent, and when one merely enables the other.
//!
//! Every operation accesses at most three objects, each in one of three classes; two accesses of one object are
//! dependent unless both are of the same class other than [`Class::Write`]. Deviations from the table:
//!
//! - Two waits on one condition variable are independent (the set of waiters has no order), and a wake-up is ordered
//!   after the notification that caused it and no other. So are leaving a barrier and the end of a rendezvous.
//! - A notification that wakes no thread is independent of others like it. One that wakes a thread is not: the other
//!   one, had it come first, would have woken that thread.
//! - A writer that comes to a lock of readers is dependent with all of its operations: from then on it keeps new
//!   readers out.
//! - Inline assembly that may use any memory is independent of everything: DPOR explores its orders only as far as
//!   other operations make it, and says so (its gap).
//! - An operation that may time out or wake spuriously as a choice reads how many such choices are left in the
//!   execution ([`BUDGET`]); making one writes it. Without this, one thread's timeout could make another's impossible
//!   although the two were independent.

use contest_data::trace::{Action, ChannelBefore, Event, LockMode, ObjectId, Pending, ThreadIndex};

/// How an operation accesses an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Dependent with every access.
    Write,
    /// Independent of other shares: loads, read locks, joins, condition waits.
    Share,
    /// Independent of other probes: failed try-locks, notifications that wake no thread.
    Probe,
}

impl Class {
    pub(super) fn conflicts(self, other: Self) -> bool {
        self == Self::Write || other == Self::Write || self != other
    }
}

/// The timeouts and spurious wake-ups that are left as choices in an execution.
pub(super) const BUDGET: ObjectId = ObjectId(u32::MAX - 1);

const NONE: (ObjectId, Class) = (ObjectId::NONE, Class::Share);

/// An operation as dependence sees it: executed or still pending.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub thread: ThreadIndex,
    pub action: Action,
    pub accesses: [(ObjectId, Class); 3],
    pub read: u64,
    pub wrote: u64,
    /// False for the `try_` forms, which never wait, and for operations that may end without what they wait for.
    pub waits: bool,
    /// It may end without what it waits for, as a choice.
    pub interruptible: bool,
}

impl Operation {
    /// `interruptible` says whether it might have ended without what it waits for, as a choice.
    pub(super) fn executed(event: &Event, interruptible: bool) -> Self {
        let mut accesses = accesses(event.action, event.object, event.second, event.wrote);
        if interruptible {
            accesses = with_budget(accesses, event);
        }
        Self {
            thread: event.thread,
            action: event.action,
            accesses,
            read: event.read,
            wrote: event.wrote,
            waits: !interruptible && event.action.waits(),
            interruptible,
        }
    }

    pub(super) fn pending(thread: ThreadIndex, pending: &Pending, interruptible: bool) -> Self {
        // The thread that a notification will wake is not known before.
        let mut accesses = accesses(pending.action, pending.object, pending.second, u64::MAX);
        if interruptible {
            if let Action::Wake(_) = pending.action {
                accesses[0] = (pending.object, Class::Share);
            }
            accesses[2] = (BUDGET, Class::Share);
        }
        Self {
            thread,
            action: pending.action,
            accesses,
            read: 0,
            wrote: 0,
            waits: !interruptible && pending.action.waits(),
            interruptible,
        }
    }

    /// The access of `object`, if any.
    pub(super) fn class_on(&self, object: ObjectId) -> Option<Class> {
        self.accesses
            .iter()
            .find(|(accessed, _)| *accessed == object && object != ObjectId::NONE)
            .map(|(_, class)| *class)
    }

    /// True if the two operations, of different threads, do not commute.
    pub(super) fn depends_on(&self, other: &Self) -> bool {
        self.accesses.iter().any(|&(object, class)| {
            other
                .class_on(object)
                .is_some_and(|other_class| class.conflicts(other_class))
        })
    }

    /// True if another thread's event enabled exactly this thread: a notification, the last arrival at a barrier, the
    /// receive of its message.
    pub(super) fn was_called(&self) -> bool {
        !self.interruptible
            && matches!(
                self.action,
                Action::Wake(_) | Action::BarrierLeave(_) | Action::SendTaken(_)
            )
    }

    /// The threads that this event wakes.
    pub(super) fn calls(&self) -> u64 {
        match self.action {
            Action::Notify(_) | Action::FutexWake | Action::BarrierArrive => self.wrote,
            Action::Receive(..) | Action::Endpoint => self.wrote >> ChannelBefore::MASK_AT,
            _ => 0,
        }
    }
}

fn accesses(
    action: Action,
    object: ObjectId,
    second: ObjectId,
    wrote: u64,
) -> [(ObjectId, Class); 3] {
    use Class::{Probe, Share, Write};
    let one = |class| [(object, class), NONE, NONE];
    match action {
        Action::Load(_) | Action::CasFail(_) => one(Share),
        Action::Store(_) | Action::Rmw(..) => one(Write),
        Action::PlainRead => one(Share),
        // What is copied from is read.
        Action::PlainWrite => [(object, Write), (second, Share), NONE],
        Action::Acquire(LockMode::Exclusive | LockMode::Upgradable)
        | Action::Release(LockMode::Exclusive | LockMode::Upgradable, _)
        | Action::TryAcquire(LockMode::Exclusive | LockMode::Upgradable, true)
        // Where it has to wait, it keeps further readers out.
        | Action::Arrive(_) => one(Write),
        // A writer waits for it, and other readers for the writer.
        Action::Release(LockMode::Read, _) if second == object => one(Write),
        Action::Acquire(LockMode::Read)
        | Action::Release(LockMode::Read, _)
        | Action::TryAcquire(LockMode::Read, true) => one(Share),
        Action::TryAcquire(_, false) | Action::AcquireTimeout(_) => one(Probe),
        Action::Wait => [(object, Share), (second, Write), NONE],
        Action::WaitOver(_) => one(Share),
        // The futex has no mutex; its wait ends in this step, by time too.
        Action::Wake(true) if second == ObjectId::NONE => one(Share),
        // The notification that woke it is tracked by thread, see `causality`.
        Action::Wake(_) => [NONE, (second, Write), NONE],
        Action::Notify(_) | Action::FutexWake => one(if wrote == 0 { Probe } else { Write }),
        Action::FutexWait(_) => [(object, Share), (second, Share), NONE],
        Action::Park(false) | Action::Unpark | Action::Await => one(Write),
        Action::Park(true) => one(Share),
        // The second object of a send is the set of receivers that wait, of a receive too.
        Action::Send(_, true) => [(object, Write), (second, Share), NONE],
        Action::Send(_, false) => [(object, Share), (second, Share), NONE],
        Action::Receive(_, true) => [(object, Write), (second, Write), NONE],
        Action::Receive(_, false) => [(object, Share), (second, Write), NONE],
        Action::Endpoint | Action::ReceiveBegin => one(Write),
        Action::OnceBegin(true) | Action::OnceEnd(_) => one(Write),
        // Whether a lock is held, or poisoned.
        Action::OncePeek(_) if second == object => one(Probe),
        // A task that yields checks whether it was aborted.
        Action::OnceBegin(false) | Action::OncePeek(_) | Action::Yield => one(Share),
        Action::BarrierArrive => one(Write),
        Action::Spawn(_) | Action::End | Action::Begin => one(Write),
        Action::Join(_) => one(Share),
        Action::BarrierLeave(_)
        | Action::SendTaken(_)
        | Action::Fence(_)
        | Action::Assembly
        | Action::Sleep
        | Action::CallBegin
        | Action::CallHold
        | Action::LaneEnd => [NONE; 3],
    }
}

/// Adds what an operation accesses because it might have ended otherwise, or did.
fn with_budget(mut accesses: [(ObjectId, Class); 3], event: &Event) -> [(ObjectId, Class); 3] {
    let gave_up = match event.action {
        Action::WaitOver(_)
        | Action::Wake(true)
        | Action::Park(true)
        | Action::AcquireTimeout(_)
        | Action::Sleep => true,
        Action::Receive(_, false) => event.wrote & ChannelBefore::NO_SENDER == 0,
        _ => false,
    };
    if let Action::Wake(_) = event.action {
        accesses[0] = (event.object, Class::Share);
    }
    let class = if gave_up { Class::Write } else { Class::Share };
    accesses[2] = (BUDGET, class);
    accesses
}

/// True if the two cannot change places because `later` could not have been executed right before `earlier`: `earlier`
/// made it possible, or saw the very state in which `later` has to wait.
pub(super) fn enables(earlier: &Operation, later: &Operation) -> bool {
    if !later.waits {
        return false;
    }
    let wanted = match later.action {
        Action::Acquire(mode) => Some(mode),
        Action::Wake(_) => Some(LockMode::Exclusive),
        _ => None,
    };
    match (earlier.action, later.action) {
        // A writer may come while readers hold the lock.
        (action, Action::Arrive(_)) => matches!(
            action,
            Action::Release(LockMode::Exclusive | LockMode::Upgradable, _)
        ),
        (Action::Release(..) | Action::Wait, _) if wanted.is_some() => true,
        (Action::TryAcquire(mode, false) | Action::AcquireTimeout(mode), _) if wanted.is_some() => {
            // A failed exclusive acquisition allows for readers only; a failed upgradable one, for more readers.
            mode == LockMode::Read || wanted == Some(LockMode::Exclusive) || wanted == Some(mode)
        }
        (Action::Arrive(false), _) if wanted.is_some() => wanted == Some(LockMode::Exclusive),
        (Action::Send(..) | Action::Receive(..) | Action::Endpoint, Action::Receive(..)) => {
            earlier.read == 0 && earlier.wrote & ChannelBefore::NO_SENDER == 0
        }
        (Action::Send(..) | Action::Receive(..) | Action::Endpoint, Action::Send(..)) => {
            earlier.wrote & (ChannelBefore::FULL | ChannelBefore::NO_RECEIVER)
                == ChannelBefore::FULL
        }
        (Action::OnceEnd(_), Action::OnceBegin(_)) => true,
        (Action::Unpark, Action::Park(_)) => earlier.read == 0,
        (Action::End, Action::Join(_)) => true,
        _ => false,
    }
}

/// True for steps that only create, join, begin or end a thread. Samplers do not count them, because otherwise an
/// interleaving of the other steps would be more likely the more places it has for these.
pub(super) fn is_quiet(action: Action) -> bool {
    goes_first(action) || action == Action::End
}

/// True for steps that a sampler may execute at once: they affect other threads only in how threads are numbered.
pub(super) fn goes_first(action: Action) -> bool {
    matches!(action, Action::Begin | Action::Spawn(_) | Action::Join(_))
}
