//! Mazurkiewicz traces, spelled out once more: from the table of dependences, and not from the explorer.

use contest_data::trace::schedule::check_of;
use contest_data::trace::{Action, Blocking, Ending, Event, ExecutionRecord, LockMode, ObjectId};

/// Which of two dependent operations, each named by thread and number, came first; and what each operation came to.
pub type Trace = Vec<(u16, u32, u16, u32)>;

/// The trace of an execution, in a form that does not depend on the order of independent operations.
pub fn canonical(record: &ExecutionRecord) -> Trace {
    let events: Vec<&Event> = record
        .events
        .iter()
        .filter(|event| event.thread.0 != 0)
        .collect();
    let mut trace = Vec::new();
    for (i, a) in events.iter().enumerate() {
        trace.push((a.thread.0, a.index, u16::MAX, label(a)));
        for b in &events[i + 1..] {
            if a.thread != b.thread && dependent(a, b) {
                trace.push((a.thread.0, a.index, b.thread.0, b.index));
            }
        }
    }
    trace.sort_unstable();
    let ending = match record.ending {
        Ending::Deadlock(_) => 1,
        Ending::Livelock(_) => 2,
        Ending::StepLimit(_) => 3,
        _ => 0,
    };
    trace.push((ending, record.steps, 0, 0));
    trace
}

/// What the operation is and what it came to.
fn label(event: &Event) -> u32 {
    let outcome = match event.action {
        Action::TryAcquire(_, it)
        | Action::Arrive(it)
        | Action::Wake(it)
        | Action::WaitOver(it)
        | Action::Park(it)
        | Action::Send(_, it)
        | Action::SendTaken(it)
        | Action::Receive(_, it)
        | Action::OnceBegin(it)
        | Action::OncePeek(it) => u32::from(it),
        Action::Load(_) | Action::CasFail(_) => event.read as u32 + 2,
        Action::Store(_) | Action::Rmw(..) => event.wrote as u32 + 2,
        Action::Notify(_) => event.wrote as u32,
        _ => 0,
    };
    u32::from(check_of(event.action, "")) << 16 | outcome
}

fn objects(event: &Event) -> impl Iterator<Item = ObjectId> {
    [event.object, event.second]
        .into_iter()
        .filter(|object| *object != ObjectId::NONE)
}

/// How an operation is related to others on the same object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Dependent with all.
    Writes,
    /// Sees the state and leaves it; independent of its like.
    Reads,
    /// A failed try-lock, or a notification that wakes no thread; independent of others of its kind.
    Fails,
    /// Not ordered with anything on this object.
    Nothing,
}

fn kind(event: &Event, object: ObjectId) -> Kind {
    use Kind::{Fails, Nothing, Reads, Writes};
    let is_first = object == event.object;
    match event.action {
        Action::Load(_) | Action::CasFail(_) | Action::PlainRead => Reads,
        // What is copied.
        Action::PlainWrite if !is_first => Reads,
        // Writers wait for it, and readers for them.
        Action::Release(LockMode::Read, _) if event.second == event.object => Writes,
        Action::Acquire(LockMode::Read)
        | Action::Release(LockMode::Read, _)
        | Action::TryAcquire(LockMode::Read, true) => Reads,
        // A writer comes to a lock of readers, and keeps new ones out.
        Action::Arrive(_) => Writes,
        Action::TryAcquire(_, false) | Action::AcquireTimeout(_) => Fails,
        Action::Wait if is_first => Reads,
        Action::WaitOver(_) => Reads,
        // With the notification that caused it only, see below.
        Action::Wake(_) if is_first => Nothing,
        Action::Notify(_) if event.wrote == 0 => Fails,
        Action::Receive(_, false) | Action::Send(_, false) if is_first => Reads,
        // Whoever waits at a rendezvous channel.
        Action::Send(..) if !is_first => Reads,
        Action::OnceBegin(false) | Action::OncePeek(_) => Reads,
        Action::BarrierLeave(_) | Action::SendTaken(_) => Nothing,
        Action::Join(_) => Reads,
        Action::Park(true) => Reads,
        _ => Writes,
    }
}

/// The event ends a wait by a choice that an execution allows so many times only.
fn takes_a_choice(event: &Event) -> bool {
    match event.action {
        Action::WaitOver(_) | Action::Park(true) | Action::AcquireTimeout(_) | Action::Sleep => {
            true
        }
        Action::Receive(Blocking::Waits, false) => event.wrote & 2 == 0,
        _ => false,
    }
}

/// `a` came before `b`, of another thread.
fn dependent(a: &Event, b: &Event) -> bool {
    if takes_a_choice(a) && takes_a_choice(b) {
        return true;
    }
    if called(a, b) {
        return true;
    }
    objects(a).any(|object| {
        objects(b).any(|other| {
            let (left, right) = (kind(a, object), kind(b, object));
            object == other
                && left != Kind::Nothing
                && right != Kind::Nothing
                && (left == Kind::Writes || right == Kind::Writes || left != right)
        })
    })
}

/// `a` made it possible for the thread of `b` to go on, by name.
fn called(a: &Event, b: &Event) -> bool {
    let mask = match (a.action, b.action) {
        (Action::Notify(_), Action::Wake(_)) | (Action::BarrierArrive, Action::BarrierLeave(_)) => {
            a.wrote
        }
        (Action::Receive(..) | Action::Endpoint, Action::SendTaken(_)) => a.wrote >> 8,
        _ => 0,
    };
    mask >> b.thread.0 & 1 == 1
}
