//! What operations were seen to do, alone and beside each other: what a static summary of them has to say at least.
//!
//! Left out: what an operation does on other threads than the one it was called on, and after it has its result (a
//! guard that is given back), which is no part of its summary.

use std::collections::{BTreeSet, HashMap};
use std::panic::Location;

use contest_data::observed::{OperationFact, PairFact, Seen, SeenTogether};
use contest_data::sorted;
use contest_data::trace::{Action, Event, ExecutionRecord, LockMode, ObjectId, ThreadIndex};
use contest_search::coverage::{Contents, access_of};

/// Different facts that are kept of one subject; more are counted.
const MOST: usize = 20_000;

type Place = (&'static str, u32, u32);

/// What the operations of one subject were seen to do.
#[derive(Clone, Debug, Default)]
pub(super) struct Behaviour {
    alone: HashMap<(u16, OperationFact, Place), (&'static str, &'static str)>,
    together: BTreeSet<(u16, u16, PairFact, Place, Place)>,
    dropped: u64,
}

/// A call under way.
#[derive(Debug, Default)]
struct Call {
    thread: ThreadIndex,
    operation: u16,
    uses: Vec<Use>,
    /// Lock that was held, lock that was wanted, where.
    orders: Vec<(ObjectId, ObjectId, LockMode, Place)>,
}

#[derive(Clone, Copy, Debug)]
struct Use {
    object: ObjectId,
    at: usize,
    place: Place,
    writes: bool,
    lock: bool,
}

impl Behaviour {
    /// Takes an execution in; `operation` says what a call of a thread called.
    pub(super) fn observe(
        &mut self,
        record: &ExecutionRecord,
        operation: impl Fn(ThreadIndex, u16) -> Option<u16>,
    ) {
        let mut calls: HashMap<(ThreadIndex, u16), Call> = HashMap::new();
        let mut held: HashMap<ThreadIndex, Vec<(ObjectId, LockMode)>> = HashMap::new();
        let mut over: HashMap<ThreadIndex, u16> = HashMap::new();
        for (at, event) in record.events.iter().enumerate() {
            let own = held.entry(event.thread).or_default();
            // What an earlier call has left locked, as a guard that is kept, is not of this one.
            if event.action == Action::CallBegin {
                own.clear();
            }
            let counted = event
                .call
                .filter(|call| over.get(&event.thread) != Some(call))
                .and_then(|call| operation(event.thread, call).map(|operation| (call, operation)));
            if event.action == Action::CallHold
                && let Some(call) = event.call
            {
                over.insert(event.thread, call);
            }
            // Atomics of `std` are no variables of the code under test.
            if let Some((number, operation)) = counted
                && record.visible_at(at).is_none()
            {
                let call = calls.entry((event.thread, number)).or_insert_with(|| Call {
                    thread: event.thread,
                    operation,
                    ..Call::default()
                });
                self.note(record, event, at, call, own);
            }
            note_held(own, event);
        }
        let calls: Vec<Call> = calls.into_values().collect();
        for (index, one) in calls.iter().enumerate() {
            for two in &calls[index + 1..] {
                let main = ThreadIndex::MAIN;
                if one.thread != two.thread && one.thread != main && two.thread != main {
                    self.pair(one, two);
                }
            }
        }
    }

    /// What was seen of single operations.
    #[must_use]
    pub(super) fn alone(&self) -> Vec<Seen> {
        let mut seen: Vec<Seen> = self
            .alone
            .iter()
            .map(|(&(operation, does, place), (name, what))| Seen {
                operation,
                does,
                what: format!("{name} {what}"),
                location: text(place),
            })
            .collect();
        sorted::sort_by(&mut seen, |a, b| {
            (a.operation, &a.location).cmp(&(b.operation, &b.location))
        });
        seen
    }

    /// What was seen of pairs.
    #[must_use]
    pub(super) fn together(&self) -> Vec<SeenTogether> {
        self.together
            .iter()
            .map(|&(left, right, does, one, two)| SeenTogether {
                operations: (left, right),
                does,
                locations: (text(one), text(two)),
            })
            .collect()
    }

    /// Facts beyond the number that is kept.
    #[must_use]
    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }

    fn note(
        &mut self,
        record: &ExecutionRecord,
        event: &Event,
        at: usize,
        call: &mut Call,
        held: &[(ObjectId, LockMode)],
    ) {
        let place = place(event.location);
        let what = record.objects.get(event.object.0 as usize);
        let names = (event.name, what.copied().unwrap_or_default());
        let mut seen = |does| {
            let key = (call.operation, does, place);
            if self.alone.len() < MOST || self.alone.contains_key(&key) {
                self.alone.insert(key, names);
            } else {
                self.dropped += 1;
            }
        };
        let locks = match event.action {
            Action::Acquire(mode) => Some((mode, true)),
            Action::TryAcquire(mode, _) => Some((mode, false)),
            Action::Arrive(got) => Some((LockMode::Exclusive, got)),
            _ => None,
        };
        if let Some((mode, waits)) = locks {
            seen(OperationFact::Locks);
            if waits && !held.is_empty() {
                seen(OperationFact::LocksMore);
                let orders = held
                    .iter()
                    .map(|(first, _)| (*first, event.object, mode, place));
                call.orders.extend(orders);
            }
            let taken = !matches!(
                event.action,
                Action::TryAcquire(_, false) | Action::Arrive(false)
            );
            call.uses.extend(taken.then_some(Use {
                object: event.object,
                at,
                place,
                writes: mode == LockMode::Exclusive,
                lock: true,
            }));
        } else if let Some((object, reads, writes, _)) = access_of(event, Contents::Ignored) {
            if reads {
                seen(OperationFact::Reads);
            }
            if writes {
                seen(OperationFact::Writes);
            }
            call.uses.push(Use {
                object,
                at,
                place,
                writes,
                lock: false,
            });
        }
    }

    fn pair(&mut self, one: &Call, two: &Call) {
        let (one, two) = if one.operation <= two.operation {
            (one, two)
        } else {
            (two, one)
        };
        for a in &one.uses {
            for b in &two.uses {
                if a.object == b.object && (a.writes || b.writes) {
                    let does = if a.lock {
                        PairFact::SameLock
                    } else {
                        PairFact::Conflict
                    };
                    self.add(one, two, does, a.place, b.place);
                }
            }
        }
        for (lock, does) in [(false, PairFact::Interleave), (true, PairFact::TakeTurns)] {
            if let Some((a, b)) = between(one, two, lock) {
                self.add(one, two, does, a, b);
            } else if let Some((b, a)) = between(two, one, lock) {
                self.add(one, two, does, a, b);
            }
        }
        for (held, wanted, mode, a) in &one.orders {
            for (others, other_wants, others_mode, b) in &two.orders {
                let exclusive = *mode == LockMode::Exclusive || *others_mode == LockMode::Exclusive;
                if held == other_wants && wanted == others && held != wanted && exclusive {
                    self.add(one, two, PairFact::OppositeLocks, *a, *b);
                }
            }
        }
    }

    fn add(&mut self, one: &Call, two: &Call, does: PairFact, a: Place, b: Place) {
        let key = (one.operation, two.operation, does, a, b);
        if self.together.len() < MOST || self.together.contains(&key) {
            self.together.insert(key);
        } else {
            self.dropped += 1;
        }
    }
}

/// A use of an object by `inner` between two uses of it by `outer`, of which one writes.
fn between(outer: &Call, inner: &Call, lock: bool) -> Option<(Place, Place)> {
    let mut middles = inner.uses.iter().filter(|it| it.lock == lock);
    middles.find_map(|middle| {
        let of_same = || outer.uses.iter().filter(|it| it.object == middle.object);
        let before = of_same().find(|it| it.at < middle.at)?;
        let after = of_same().find(|it| it.at > middle.at)?;
        let writes = middle.writes || before.writes || after.writes;
        writes.then_some((before.place, middle.place))
    })
}

fn note_held(held: &mut Vec<(ObjectId, LockMode)>, event: &Event) {
    let forget = |held: &mut Vec<(ObjectId, LockMode)>, lock| {
        if let Some(at) = held.iter().rposition(|(one, _)| *one == lock) {
            held.remove(at);
        }
    };
    match event.action {
        Action::Acquire(mode) | Action::TryAcquire(mode, true) => held.push((event.object, mode)),
        Action::Arrive(true) => held.push((event.object, LockMode::Exclusive)),
        Action::Wake(_) if event.second != ObjectId::NONE => {
            held.push((event.second, LockMode::Exclusive));
        }
        Action::Release(..) => forget(held, event.object),
        Action::Wait => forget(held, event.second),
        _ => {}
    }
}

fn place(location: &'static Location<'static>) -> Place {
    (location.file(), location.line(), location.column())
}

fn text((file, line, column): Place) -> String {
    format!("{file}:{line}:{column}")
}
