//! What an operation of an execution is in a graph.

use std::panic::Location;
use std::sync::atomic::Ordering;

use super::graph::{At, Entry, Name, Part, Waits};
use contest_data::decision::MemoryPoint;
use contest_data::trace::{Action, ThreadIndex, Writes};

/// What a round of a loop reads, and where, the last first.
pub(super) type Round = Vec<(&'static Location<'static>, u64)>;

/// A thread that goes on alone, so that it shows whether its loop ends without a change.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub thread: ThreadIndex,
    /// Where a round begins.
    pub place: &'static Location<'static>,
    pub round: Round,
    pub rounds: u32,
    /// Number of events at its beginning.
    pub since: usize,
}

/// The event that wrote this; `None` if it is the initial value.
pub(super) fn name_of(point: &MemoryPoint<'_>, at: usize) -> Option<Name> {
    let event = point.writes[at].event;
    (event != Writes::INITIAL).then(|| {
        let event = &point.events[event as usize];
        Name {
            thread: event.thread.0,
            index: event.index,
        }
    })
}

/// True if the operation also writes when it reads this value.
pub(super) fn succeeds(point: &MemoryPoint<'_>, value: u64) -> bool {
    match (point.pending.action, point.exchange) {
        (Action::Load(_) | Action::CasFail(_), _) => false,
        (_, Some((expected, _))) => value == expected,
        _ => true,
    }
}

/// The entries of an operation that reads this.
pub(super) fn entries_of(
    point: &MemoryPoint<'_>,
    name: Name,
    from: Option<At>,
    succeeds: bool,
) -> (Entry, Option<Entry>) {
    let order = match (point.pending.action, point.exchange) {
        (_, Some((_, failure))) if !succeeds => failure,
        (Action::Load(order) | Action::CasFail(order) | Action::Rmw(order, _), _) => order,
        _ => Ordering::SeqCst,
    };
    let read = Entry {
        name,
        part: Part::Read,
        update: !matches!(point.pending.action, Action::Load(_)) && succeeds,
        exchange: point.exchange.is_some(),
        location: point.pending.object.0,
        order,
        from,
        waits: Waits::Nothing,
        object: false,
        takes: false,
    };
    let write = Entry {
        part: Part::Write,
        from: None,
        ..read
    };
    (read, succeeds.then_some(write))
}

/// True of an operation on an object that keeps an order of its own.
pub(super) fn is_on_object(action: Action) -> bool {
    match action {
        Action::Acquire(_)
        | Action::AcquireTimeout(_)
        | Action::Release(..)
        | Action::TryAcquire(..)
        | Action::Arrive(_)
        | Action::Wait
        | Action::Wake(_)
        | Action::WaitOver(_)
        | Action::Notify(_)
        | Action::Park(_)
        | Action::Unpark
        | Action::Send(..)
        | Action::SendTaken(_)
        | Action::ReceiveBegin
        | Action::Receive(..)
        | Action::Endpoint
        | Action::OnceBegin(_)
        | Action::OnceEnd(_)
        | Action::OncePeek(_)
        | Action::BarrierArrive
        | Action::BarrierLeave(_) => true,
        Action::Load(_)
        | Action::Store(_)
        | Action::Rmw(..)
        | Action::CasFail(_)
        | Action::FutexWait(_)
        | Action::FutexWake
        | Action::Spawn(_)
        | Action::Join(_)
        | Action::Begin
        | Action::End
        | Action::Fence(_)
        | Action::Assembly
        | Action::PlainRead
        | Action::PlainWrite
        | Action::Await
        | Action::Yield
        | Action::Sleep
        | Action::CallBegin
        | Action::CallHold
        | Action::LaneEnd => false,
    }
}
