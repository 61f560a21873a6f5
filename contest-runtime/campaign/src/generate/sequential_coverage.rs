//! Sequential coverage: which traces the calls of a sequence leave when one thread runs it alone (Terragni and Cheung:
//! Coverage-driven test code generation for concurrent classes, ICSE 2016, section 4.1).
//!
//! Deviations: repeated blocks of a trace are folded, else every number of iterations of a loop were a trace of its
//! own; atomics carry their ordering; of the memory that is accessed between two operations, each field counts once for
//! each line that reads it and each that writes it, and only fields of types of the code under test and its
//! dependencies count, not what collections of the standard library keep; entry to and exit from inner methods are not
//! seen, the source location of each operation stands for them.

use contest_data::fast_hash::FastMap;
use std::panic::Location;

use contest_data::trace::{
    AccessSymbols, Action, CallRecord, Event, ExecutionRecord, LockMode, Outcome, Place,
    PlainAccess, ThreadIndex,
};

/// Longest block that is folded, in events.
const LONGEST_BLOCK: usize = 32;
/// Copies of a repeated block that are kept.
const LOOP_CAP: usize = 2;

/// Number of a call's trace, in order of discovery.
pub(super) type TraceId = u32;

/// One operation in the trace of a call, without values and addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Item {
    at: At,
    name: &'static str,
    /// What the operation did, as far as it does not depend on the schedule: a failed try is another path than one that
    /// succeeds.
    did: Did,
    /// Type of the object.
    what: &'static str,
}

/// Where in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum At {
    Source(&'static Location<'static>),
    /// From debug information; by address, for there is one of each.
    Symbolised(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Did {
    Read,
    Write,
    ReadWrite,
    Lock(LockMode),
    Unlock(LockMode),
    Try(bool),
    Other,
    Panic,
}

/// The traces seen so far, numbered.
#[derive(Debug, Default)]
pub struct TraceTable {
    numbers: FastMap<Vec<Item>, TraceId>,
}

impl TraceTable {
    /// Number of different traces.
    #[must_use]
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// True before the first trace.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The number of the trace of one call of the main thread: its operations, and its accesses of fields.
    pub fn number(&mut self, record: &ExecutionRecord, call: &CallRecord) -> TraceId {
        let events = &record.events;
        let from = (call.began as usize).min(events.len());
        let to = (call.ended as usize).clamp(from, events.len());
        let mut items: Vec<Item> = Vec::new();
        let mut fields = record.plain.list.iter().filter_map(|access| {
            let inside = access.thread == ThreadIndex::MAIN && access.step as usize > from;
            inside.then_some((access.step as usize, field_item(access)?))
        });
        let mut field = fields.next();
        for position in from..=to {
            let between = items.len();
            while let Some((step, found)) = field
                && step <= position
            {
                if matches!(found.at, At::Source(_)) || !items[between..].contains(&found) {
                    items.push(found);
                }
                field = fields.next();
            }
            if let Some(event) = events[..to].get(position)
                && event.thread == ThreadIndex::MAIN
            {
                items.extend(item(event, &record.objects));
            }
        }
        if let Outcome::Panicked(..) = call.outcome {
            items.push(Item {
                at: At::Source(Location::caller()),
                name: "panic",
                did: Did::Panic,
                what: "",
            });
        }
        fold(&mut items);
        let next = self.numbers.len() as TraceId;
        *self.numbers.entry(items).or_insert(next)
    }
}

fn item(event: &Event, objects: &[&'static str]) -> Option<Item> {
    let did = match event.action {
        Action::CallBegin | Action::CallHold | Action::LaneEnd | Action::Begin | Action::End => {
            return None;
        }
        Action::Load(_) | Action::CasFail(_) | Action::OncePeek(_) => Did::Read,
        Action::Store(_) => Did::Write,
        Action::Rmw(..) => Did::ReadWrite,
        Action::Acquire(mode) => Did::Lock(mode),
        Action::Arrive(true) => Did::Lock(LockMode::Exclusive),
        Action::Release(mode, _) => Did::Unlock(mode),
        Action::TryAcquire(_, done)
        | Action::Arrive(done)
        | Action::Send(_, done)
        | Action::Receive(_, done) => Did::Try(done),
        _ => Did::Other,
    };
    Some(Item {
        at: At::Source(event.location),
        name: event.name,
        did,
        what: objects
            .get(event.object.0 as usize)
            .copied()
            .unwrap_or_default(),
    })
}

fn field_item(access: &PlainAccess) -> Option<Item> {
    let (at, field) = match (access.symbols, access.field, access.place) {
        (Some(symbols), _, _) if symbols.counts() => (
            At::Symbolised(std::ptr::from_ref::<AccessSymbols>(symbols).addr()),
            symbols.field,
        ),
        (None, Some(field), Place::Source(location)) => (At::Source(location), field),
        _ => return None,
    };
    Some(Item {
        at,
        name: field.name,
        did: if access.writes { Did::Write } else { Did::Read },
        what: field.owner,
    })
}

/// Keeps at most [`LOOP_CAP`] copies of a block that is repeated at once, shortest blocks first.
fn fold(items: &mut Vec<Item>) {
    for length in 1..=LONGEST_BLOCK {
        if items.len() < length * (LOOP_CAP + 1) {
            break;
        }
        let mut folded: Vec<Item> = Vec::with_capacity(items.len());
        let mut at = 0;
        while at < items.len() {
            let copies = 1
                + (1..)
                    .take_while(|copy| {
                        let start = at + copy * length;
                        start + length <= items.len()
                            && items[start..start + length] == items[at..at + length]
                    })
                    .count();
            if copies > LOOP_CAP {
                folded.extend_from_slice(&items[at..at + length * LOOP_CAP]);
                at += copies * length;
            } else {
                folded.push(items[at]);
                at += 1;
            }
        }
        *items = folded;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Vec<Item> {
        text.bytes()
            .map(|byte| Item {
                at: At::Source(Location::caller()),
                name: ["a", "b", "c", "d"][usize::from(byte - b'a')],
                did: Did::Read,
                what: "",
            })
            .collect()
    }

    fn folded(text: &str) -> String {
        let mut items = items(text);
        fold(&mut items);
        items.iter().map(|item| item.name).collect()
    }

    #[test]
    fn numbers_of_iterations_beyond_two_make_no_difference() {
        assert_eq!(folded("aab"), "aab");
        assert_eq!(folded("aaab"), "aab");
        assert_eq!(folded("abababab"), "abab");
        assert_eq!(folded("cababababd"), "cababd");
        assert_eq!(folded("aabaabaab"), "aabaab");
        assert_eq!(folded("aaaaabaaaabaaab"), "aabaab");
    }
}
