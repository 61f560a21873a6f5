//! Mazurkiewicz traces, spelled out once more: from the table of dependences, and not from the explorer.

use contest_data::trace::schedule::check_of;
use contest_data::trace::{Action, Blocking, Ending, Event, ExecutionRecord, LockMode, ObjectId};

/// Which of two dependent operations, each named by thread and number, came first; and what each operation came to.
pub type Trace = Vec<(u16, u32, u16, u32)>;

/// The trace of an execution, in a form that does not depend on the order of independent operations.
pub fn canonical(record: &ExecutionRecord) -> Trace {
    let events = record.events.iter().filter(|event| event.thread.0 != 0);
    let operations: Vec<Operation> = events.map(Operation::of).collect();
    // Most of what the tests do is done here, without optimisation: no iterators, and places of a slice.
    let (operations, all) = (&operations[..], operations.len());
    let mut trace = Vec::new();
    for (i, a) in operations.iter().enumerate() {
        trace.push((a.thread, a.index, u16::MAX, a.label));
        let mut later = i + 1;
        while later < all {
            let b = &operations[later];
            later += 1;
            if a.thread != b.thread && a.comes_before(b) {
                trace.push((a.thread, a.index, b.thread, b.index));
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

/// What decides on the dependences of an event.
struct Operation {
    thread: u16,
    index: u32,
    label: u32,
    /// Its objects, as numbers, and how it is related to others on them; with `NOTHING` where it has none.
    objects: [(u32, u8); 2],
    takes_a_choice: bool,
    /// Which threads it makes able to go on, by name, and in which way.
    calls: (u8, u64),
    /// In which way its thread was made able to go on, so that this operation follows; 0 if in none.
    called: u8,
}

impl Operation {
    fn of(event: &Event) -> Self {
        let objects = [event.object, event.second].map(|object| match object {
            ObjectId::NONE => (object.0, NOTHING),
            _ => (object.0, kind(event, object) as u8),
        });
        Self {
            thread: event.thread.0,
            index: event.index,
            label: label(event),
            objects,
            takes_a_choice: takes_a_choice(event),
            calls: match event.action {
                Action::Notify(_) => (1, event.wrote),
                Action::BarrierArrive => (2, event.wrote),
                Action::Receive(..) | Action::Endpoint => (3, event.wrote >> 8),
                _ => (0, 0),
            },
            called: match event.action {
                Action::Wake(_) => 1,
                Action::BarrierLeave(_) => 2,
                Action::SendTaken(_) => 3,
                _ => 0,
            },
        }
    }

    /// It came before `other`, of another thread, and has to.
    fn comes_before(&self, other: &Self) -> bool {
        if self.takes_a_choice && other.takes_a_choice {
            return true;
        }
        let (way, threads) = self.calls;
        if way != 0 && way == other.called && threads >> other.thread & 1 == 1 {
            return true;
        }
        let ([a, b], [c, d]) = (self.objects, other.objects);
        meet(a, c) || meet(a, d) || meet(b, c) || meet(b, d)
    }
}

/// True if operations on these objects, related to others in these ways, are dependent.
fn meet((object, left): (u32, u8), (other, right): (u32, u8)) -> bool {
    object == other
        && left != NOTHING
        && right != NOTHING
        && (left == WRITES || right == WRITES || left != right)
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

const NOTHING: u8 = Kind::Nothing as u8;
const WRITES: u8 = Kind::Writes as u8;

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
