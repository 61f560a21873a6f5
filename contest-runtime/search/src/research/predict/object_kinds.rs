//! What kind of object an event shows its objects to be, and where the concurrent part of an execution begins.

use contest_data::trace::{Action, Event, ExecutionRecord, ObjectId};

/// The first creation of a thread: before it the main thread is alone.
pub(super) fn concurrent_from(record: &ExecutionRecord) -> u32 {
    let spawn = record
        .events
        .iter()
        .position(|event| matches!(event.action, Action::Spawn(_)));
    spawn.unwrap_or(0) as u32
}

/// The kind of an object, which decides how its rules are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Value,
    Lock,
    Condvar,
    Token,
    Once,
    Barrier,
    Channel,
    Queue,
}

/// The kinds of the event's object and of its second object.
pub(super) fn kinds(event: &Event) -> [Option<(ObjectId, Kind)>; 2] {
    let one = |kind| [Some((event.object, kind)), None];
    match event.action {
        Action::Load(_) | Action::Store(_) | Action::Rmw(..) | Action::CasFail(_) => {
            one(Kind::Value)
        }
        Action::Acquire(_)
        | Action::AcquireTimeout(_)
        | Action::Release(..)
        | Action::TryAcquire(..)
        | Action::Arrive(_) => one(Kind::Lock),
        Action::WaitOver(_) => one(Kind::Condvar),
        Action::ReceiveBegin => one(Kind::Queue),
        Action::Wait => [
            Some((event.object, Kind::Condvar)),
            Some((event.second, Kind::Lock)),
        ],
        Action::Wake(_) if event.second == ObjectId::NONE => one(Kind::Queue),
        Action::Wake(_) => [
            Some((event.object, Kind::Condvar)),
            Some((event.second, Kind::Lock)),
        ],
        Action::Notify(_) => one(Kind::Condvar),
        Action::Park(_) | Action::Unpark | Action::Await => one(Kind::Token),
        Action::Send(..) | Action::Receive(..) if event.second != ObjectId::NONE => [
            Some((event.object, Kind::Channel)),
            Some((event.second, Kind::Queue)),
        ],
        Action::Send(..) | Action::SendTaken(_) | Action::Receive(..) | Action::Endpoint => {
            one(Kind::Channel)
        }
        Action::OnceBegin(_) | Action::OnceEnd(_) | Action::OncePeek(_) => one(Kind::Once),
        Action::BarrierArrive | Action::BarrierLeave(_) => one(Kind::Barrier),
        Action::FutexWait(_) => [
            Some((event.second, Kind::Queue)),
            Some((event.object, Kind::Value)),
        ],
        Action::FutexWake => one(Kind::Queue),
        _ => [None, None],
    }
}
