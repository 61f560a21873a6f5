//! What calls show of themselves while they are under way: how many run, or the most that ran at once.
//!
//! No order of whole calls shows that, and it is no error. It is measured, not read off names. A call is bracketed if
//! it makes a number larger, changes nothing else before that, and takes it back as its last change. The changes in
//! between may be bracketed as well, as by a number within a flag. So a call has three parts, or five: with each
//! bracket it comes and goes, and the innermost part does all else. An execution shows no more than calls under way if
//! it is equivalent to one in which such parts, and the other calls as a whole, run one after another, each in one go:
//! the order of their dependent steps has no cycle (conflict serializability: Papadimitriou, The serializability of
//! concurrent database updates, JACM 1979). Who sees others must take the same steps as in an order of whole calls
//! ([`steps_of_call`]), or be turned away by one of them; what such a call does under a lock is not known, so there is
//! no such excuse for it.

use std::hash::{Hash, Hasher};

use super::history::name_of;
use super::turned_away::says_no;
use contest_data::fold_hash::FoldHash;
use contest_data::sorted::{self, SortedMap};
use contest_data::test::{CallName, TestSlot};
use contest_data::trace::{
    Action, CallRecord, Event, ExecutionRecord, LockMode, ObjectId, Outcome, ThreadIndex, Update,
    Writes,
};

/// Brackets of a call at most.
const DEEPEST: usize = 2;
/// Parts of a call at most.
const PARTS: usize = 2 * DEEPEST + 1;
/// The part that is neither a coming nor a going.
const BODY: usize = DEEPEST;
/// Calls at most.
const MOST_CALLS: usize = u128::BITS as usize / PARTS;
/// Steps of all calls at most.
const MOST_STEPS: usize = 150;
/// Steps of a call that see others, at most.
const MOST_OF_CALL: usize = 24;

/// A step of a call on an object that another one changes, or that it changes itself.
#[derive(Clone, Copy)]
struct Step {
    /// Number of the event.
    at: usize,
    looks: bool,
}

/// A call with its steps on shared objects.
struct Steps<'r> {
    call: &'r CallRecord,
    steps: Vec<(ObjectId, Step)>,
}

/// How a call shows that it is under way.
#[derive(Clone, Copy)]
struct Bracket {
    object: ObjectId,
    /// The event with which it comes.
    came: usize,
    /// The event with which it goes.
    goes: usize,
}

/// The brackets of a call, from the outside in; empty for a call that is one whole.
type Brackets = Vec<Bracket>;

/// The part of a call to which an event belongs.
fn part_of(brackets: &[Bracket], at: usize) -> usize {
    let mut nested = brackets.iter().enumerate();
    let part = nested.find_map(|(depth, it)| match at {
        at if at == it.came => Some(depth),
        at if at == it.goes => Some(PARTS - 1 - depth),
        _ => None,
    });
    part.unwrap_or(BODY)
}

/// The calls that see others under way, if what these show explains the execution, which nothing else does. They must
/// have taken the steps that they take in an order of whole calls.
pub(crate) fn under_way(record: &ExecutionRecord, slot: &TestSlot) -> Option<Vec<CallName>> {
    if !may_show_some(record) {
        return None;
    }
    let calls = steps_on_shared_objects(record, slot)?;
    let events = &record.events;
    let brackets: Vec<Brackets> = (calls.iter()).map(|it| counted(it, events)).collect();
    let witnesses = witnesses(&calls, &brackets, record)?;
    let whole: Vec<Brackets> = vec![Vec::new(); calls.len()];
    let explains = has_cycle(&calls, &whole, record) && !has_cycle(&calls, &brackets, record);
    let name = |call: &CallRecord| name_of(call.thread, call.call, slot);
    explains.then(|| (witnesses.into_iter()).filter_map(name).collect())
}

/// The steps of a call, in an order of their own: line, column, name, and what is written or how much a number is
/// counted up; of those that only look, each place once. `None` if they are many, or if it takes a lock.
pub(crate) fn steps_of_call(record: &ExecutionRecord, call: &CallRecord) -> Option<Vec<u64>> {
    let last = record.events.len();
    let began = (call.began as usize).min(last);
    let ended = (call.ended as usize).clamp(began, last);
    let own = |it: &&Event| it.thread == call.thread && it.call == Some(call.call);
    let mut all = Vec::new();
    for event in record.events[began..ended].iter().filter(own) {
        let written = match event.action {
            Action::Rmw(_, Update::Add) => event.wrote.wrapping_sub(event.read),
            Action::Store(_) | Action::Rmw(_, Update::Replace) => event.wrote,
            Action::Acquire(_) | Action::TryAcquire(..) => return None,
            // Another attempt comes after it.
            Action::CasFail(_)
            | Action::CallBegin
            | Action::CallHold
            | Action::Yield
            | Action::Await
            | Action::Sleep => continue,
            _ => 0,
        };
        let mut hasher = FoldHash::default();
        let (line, column) = (event.location.line(), event.location.column());
        (line, column, event.name, written).hash(&mut hasher);
        let step = hasher.finish();
        if !(is_look(event.action) && all.contains(&step)) {
            all.push(step);
        }
        if all.len() > MOST_OF_CALL {
            return None;
        }
    }
    sorted::sort(&mut all);
    Some(all)
}

/// True if a call increased a number and decreased it later. The check is quick, because every execution has it.
fn may_show_some(record: &ExecutionRecord) -> bool {
    // Writes of one object that did not come in the order of events are ordered otherwise here.
    let in_order = |order: &Vec<u32>| {
        let known: Vec<u32> = (order.iter().copied())
            .filter(|it| *it != Writes::INITIAL)
            .collect();
        known.is_sorted()
    };
    if !record.writes.orders.iter().all(in_order) {
        return false;
    }
    let mut raised = [(0, 0, ObjectId::NONE); 4];
    let mut n_raised = 0;
    record.events.iter().any(|event| {
        let Some(call) = event.call else {
            return false;
        };
        let this = (event.thread.0, call, event.object);
        match event.action {
            Action::Rmw(..) if event.wrote > event.read => {
                raised[n_raised % raised.len()] = this;
                n_raised += 1;
                false
            }
            Action::Rmw(..) | Action::Store(_) if event.wrote < event.read => {
                n_raised > raised.len() || raised.contains(&this)
            }
            _ => false,
        }
    })
}

/// True if the action changes nothing that another one could see, whatever it finds.
fn is_look(action: Action) -> bool {
    matches!(
        action,
        Action::Load(_)
            | Action::CasFail(_)
            | Action::PlainRead
            | Action::OncePeek(_)
            | Action::Acquire(LockMode::Read)
            | Action::TryAcquire(_, false)
            | Action::TryAcquire(LockMode::Read, true)
            | Action::Release(LockMode::Read, _)
    )
}

/// True if the event changed nothing.
fn looks(event: &Event) -> bool {
    is_look(event.action) || matches!(event.action, Action::Rmw(..)) && event.wrote == event.read
}

/// The objects of an event.
fn objects(event: &Event) -> impl Iterator<Item = ObjectId> {
    let both = [event.object, event.second];
    both.into_iter().filter(|it| *it != ObjectId::NONE)
}

/// The calls of the threads with their steps on objects of which one call makes use and another one changes them;
/// `None` if there are too many, or if other threads take part.
fn steps_on_shared_objects<'r>(
    record: &'r ExecutionRecord,
    slot: &TestSlot,
) -> Option<Vec<Steps<'r>>> {
    let of_lane = |it: &&CallRecord| slot.lane(it.thread.0).is_some();
    let mut calls: Vec<Steps<'_>> = (record.calls.iter().filter(of_lane))
        .map(|call| Steps {
            call,
            steps: Vec::new(),
        })
        .collect();
    if calls.len() > MOST_CALLS {
        return None;
    }
    /// Who made use of an object.
    struct Use {
        first: usize,
        shared: bool,
        changed: bool,
    }
    let began = calls.iter().map(|it| it.call.began).min().unwrap_or(0);
    let mut uses: SortedMap<ObjectId, Use> = SortedMap::new();
    // What threads use beside those of the test, and whether they change it.
    let mut beside: SortedMap<ObjectId, bool> = SortedMap::new();
    for (at, event) in record.events.iter().enumerate() {
        let of_event =
            |it: &Steps<'_>| it.call.thread == event.thread && Some(it.call.call) == event.call;
        let Some(number) = calls.iter().position(of_event) else {
            let is_other = event.thread != ThreadIndex::MAIN && slot.lane(event.thread.0).is_none();
            if is_other && at >= began as usize {
                let changes = !looks(event);
                objects(event).for_each(|it| *beside.get_or_default(it) |= changes);
            }
            continue;
        };
        for object in objects(event) {
            let looks = looks(event);
            let of_object = uses.get_or_insert_with(object, || Use {
                first: number,
                shared: false,
                changed: false,
            });
            of_object.shared |= of_object.first != number;
            of_object.changed |= !looks;
            calls[number].steps.push((object, Step { at, looks }));
        }
    }
    let mut met = beside
        .iter()
        .filter_map(|(it, changes)| Some((uses.get(it)?, changes)));
    if met.any(|(by_calls, changes)| by_calls.changed || *changes) {
        return None;
    }
    let counts = |object: &ObjectId| uses.get(object).is_some_and(|it| it.shared && it.changed);
    for call in &mut calls {
        call.steps.retain(|(object, _)| counts(object));
    }
    let n_steps: usize = calls.iter().map(|it| it.steps.len()).sum();
    (n_steps <= MOST_STEPS).then_some(calls)
}

/// The brackets of a call: it makes a number larger as its first change, takes that back as its last one, and does not
/// change it in between; likewise with its changes in between.
fn counted(call: &Steps<'_>, events: &[Event]) -> Brackets {
    let mut brackets = Vec::new();
    if !matches!(call.call.outcome, Outcome::Returned(_)) || refuses(&call.call.outcome) {
        return brackets;
    }
    let changes = call.steps.iter().filter(|(_, step)| !step.looks);
    let changes: Vec<(ObjectId, usize)> = changes.map(|(on, step)| (*on, step.at)).collect();
    let mut between = &changes[..];
    while let [(object, came), inner @ .., (last, goes)] = between
        && brackets.len() < DEEPEST
        && object == last
        && inner.iter().all(|(on, _)| on != object)
        && is_taken_back(&events[*came], &events[*goes])
    {
        brackets.push(Bracket {
            object: *object,
            came: *came,
            goes: *goes,
        });
        between = inner;
    }
    brackets
}

/// True if the first event makes a number larger, and the last one takes that back.
fn is_taken_back(first: &Event, last: &Event) -> bool {
    let is_number = matches!(last.action, Action::Rmw(..) | Action::Store(_));
    let taken_back = first.wrote.wrapping_sub(first.read) == last.read.wrapping_sub(last.wrote);
    let is_larger = matches!(first.action, Action::Rmw(..)) && first.wrote > first.read;
    is_larger && is_number && taken_back
}

/// It returned `false`, an error, or nothing.
fn refuses(outcome: &Outcome) -> bool {
    says_no(outcome) || matches!(outcome, Outcome::Returned(Some(text)) if text == "None")
}

/// The calls that see others under way; `None` if there is none, or if one of them is not such a call itself and does
/// more than look.
fn witnesses<'r>(
    calls: &[Steps<'r>],
    brackets: &[Brackets],
    record: &ExecutionRecord,
) -> Option<Vec<&'r CallRecord>> {
    let mut witnesses = Vec::new();
    for (call, own) in calls.iter().zip(brackets) {
        let others = calls.iter().zip(brackets);
        let others = others.filter(|(it, _)| it.call.thread != call.call.thread);
        let seen = others.flat_map(|(_, all)| all).filter(|bracket| {
            // Who reads an older value sees it later, too.
            let goes = bracket.goes as u32;
            let stale = |at: usize| record.writes.stale_at(at);
            let is_older = |at: usize| stale(at).is_some_and(|it| it.newer.contains(&goes));
            let between = |at: usize| bracket.came < at && (at < bracket.goes || is_older(at));
            let mut steps = call.steps.iter();
            steps.any(|(on, step)| *on == bracket.object && between(step.at))
        });
        let seen: Vec<&Bracket> = seen.collect();
        if seen.is_empty() {
            continue;
        }
        let only_looks = || call.steps.iter().all(|(_, step)| step.looks);
        let like_them = |it: &&Bracket| own.iter().any(|own| own.object == it.object);
        if !seen.iter().all(like_them) && !only_looks() {
            return None;
        }
        witnesses.push(call.call);
    }
    (!witnesses.is_empty()).then_some(witnesses)
}

/// True if the parts of the calls cannot run one after another, in the order of their dependent steps.
fn has_cycle(calls: &[Steps<'_>], brackets: &[Brackets], record: &ExecutionRecord) -> bool {
    // For each part, the parts after it.
    let mut after = vec![0_u128; calls.len() * PARTS];
    let mut steps: Vec<(usize, ObjectId, usize, bool)> = Vec::new();
    for (number, (call, own)) in calls.iter().zip(brackets).enumerate() {
        let first = number * PARTS;
        for &(object, step) in &call.steps {
            let part = part_of(own, step.at);
            let attempts = |it: &Bracket| is_attempt(it, object, step, record);
            if !own.iter().any(attempts) {
                steps.push((step.at, object, first + part, step.looks));
            }
        }
        for part in 1..PARTS {
            after[first + part - 1] |= 1 << (first + part);
        }
        let next = calls[number + 1..]
            .iter()
            .position(|it| it.call.thread == call.call.thread);
        if let Some(next) = next {
            after[first + PARTS - 1] |= 1 << ((number + 1 + next) * PARTS);
        }
    }
    sorted::sort_by_key(&mut steps, |step| step.0);
    for (number, &(at, object, part, looks)) in steps.iter().enumerate() {
        // What an older value was read before, has come later than the read.
        let newer = record.writes.stale_at(at).map_or(&[][..], |it| &it.newer);
        for &(earlier, on, before, looked) in &steps[..number] {
            if on != object || before == part || (looks && looked) {
                continue;
            }
            if newer.contains(&(earlier as u32)) {
                after[part] |= 1 << before;
            } else {
                after[before] |= 1 << part;
            }
        }
    }
    // Parts without any before them go first, until none is left.
    let mut left: u128 = (0..after.len()).fold(0, |all, part| all | 1 << part);
    loop {
        let parts = || (0..after.len()).filter(|part| left >> part & 1 == 1);
        let preceded = parts().fold(0, |all, part| all | after[part]);
        let free = left & !preceded;
        if free == 0 {
            return left != 0;
        }
        left &= !free;
    }
}

/// True for a look at the number by the operation that makes it larger then, if it finds what it has seen:
/// `fetch_update`.
fn is_attempt(bracket: &Bracket, object: ObjectId, step: Step, record: &ExecutionRecord) -> bool {
    let [look, came] = [step.at, bracket.came].map(|it| &record.events[it]);
    let is_compared = matches!(came.action, Action::Rmw(_, Update::Conditional));
    let before = object == bracket.object && step.looks && step.at < bracket.came;
    before && is_compared && look.location == came.location
}
