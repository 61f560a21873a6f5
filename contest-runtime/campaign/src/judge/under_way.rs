//! What calls show of themselves while they are under way: how many run, the most that ran at once, how often one had
//! to wait for a lock.
//!
//! No order of whole calls shows that, and it is no error. It is measured, not read off names. A call is bracketed if
//! it makes a number larger by a read-modify-write before all else and takes that back later, or begins with a lock
//! that another call tries in vain and waits for then. Such calls are cut where they have come and where they go. An
//! execution shows no more than calls under way if it is equivalent to one in which these parts run one after
//! another, each in one go: the order of their dependent steps has no cycle (conflict serializability: Papadimitriou,
//! The serializability of concurrent database updates, JACM 1979). Parts of one call that share something else are
//! not cut apart, so what is looked at and then changed stays together. And who sees others must do what it does
//! alone, or say by `false` or an error that it has not got the lock.

use std::collections::BTreeMap;

use super::history::name_of;
use super::turned_away::says_no;
use contest_data::test::{CallName, TestSlot};
use contest_data::trace::{
    Action, CallRecord, Event, ExecutionRecord, LockMode, ObjectId, Outcome, ThreadIndex,
};

/// Parts of a call at most.
const PARTS: usize = 4;
/// Calls at most.
const MOST_CALLS: usize = 64 / PARTS;
/// Steps of all calls at most.
const MOST_STEPS: usize = 400;

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

/// Where a call comes and goes.
#[derive(Clone, Copy)]
struct Bracket {
    object: ObjectId,
    /// Numbers of the events with which a part begins.
    cuts: [usize; PARTS - 1],
    /// The call says that it has not got the lock.
    gave_up: bool,
}

impl Bracket {
    fn new(object: ObjectId, came: usize) -> Self {
        Self {
            object,
            cuts: [came + 1, usize::MAX, usize::MAX],
            gave_up: false,
        }
    }

    fn part(&self, at: usize) -> usize {
        self.cuts.iter().filter(|cut| **cut <= at).count()
    }
}

/// The calls that see others under way, if what these show explains the execution, which nothing else does. They must
/// have done what they do alone.
pub(crate) fn under_way(record: &ExecutionRecord, slot: &TestSlot) -> Option<Vec<CallName>> {
    if !may_show_some(record) {
        return None;
    }
    let calls = steps_on_shared_objects(record, slot)?;
    let events = &record.events;
    let brackets: Vec<Option<Bracket>> = (calls.iter())
        .map(|it| counted(it, events).or_else(|| locked(it, &calls, events)))
        .collect();
    if brackets.iter().all(Option::is_none) {
        return None;
    }
    let witnesses = witnesses(&calls, &brackets)?;
    let whole: Vec<Option<Bracket>> = vec![None; calls.len()];
    let explains = has_cycle(&calls, &whole, record) && !has_cycle(&calls, &brackets, record);
    let name = |call: &CallRecord| name_of(call.thread, call.call, slot);
    explains.then(|| (witnesses.into_iter()).filter_map(name).collect())
}

/// Cheap, since it is asked of each execution: a lock was tried in vain, or a call made a number larger and then
/// smaller.
fn may_show_some(record: &ExecutionRecord) -> bool {
    let mut raised = [(0, 0, ObjectId::NONE); 4];
    let mut n_raised = 0;
    record.events.iter().any(|event| {
        let Some(call) = event.call else {
            return false;
        };
        let this = (event.thread.0, call, event.object);
        match event.action {
            Action::TryAcquire(LockMode::Exclusive, false) => true,
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

/// True if the event changes nothing that another one could see.
fn looks(event: &Event) -> bool {
    match event.action {
        Action::Load(_)
        | Action::CasFail(_)
        | Action::PlainRead
        | Action::OncePeek(_)
        | Action::Acquire(LockMode::Read)
        | Action::TryAcquire(_, false)
        | Action::TryAcquire(LockMode::Read, true)
        | Action::Release(LockMode::Read, _) => true,
        Action::Rmw(..) => event.wrote == event.read,
        _ => false,
    }
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
    let mut uses: BTreeMap<ObjectId, Use> = BTreeMap::new();
    // What threads use beside those of the test, and whether they change it.
    let mut beside: BTreeMap<ObjectId, bool> = BTreeMap::new();
    for (at, event) in record.events.iter().enumerate() {
        let of_event =
            |it: &Steps<'_>| it.call.thread == event.thread && Some(it.call.call) == event.call;
        let Some(number) = calls.iter().position(of_event) else {
            let is_other = event.thread != ThreadIndex::MAIN && slot.lane(event.thread.0).is_none();
            if is_other && at >= began as usize {
                let changes = !looks(event);
                objects(event).for_each(|it| *beside.entry(it).or_default() |= changes);
            }
            continue;
        };
        for object in objects(event) {
            let looks = looks(event);
            let of_object = uses.entry(object).or_insert(Use {
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

/// Makes a number larger before all else, but for other numbers, and takes that back later.
fn counted(call: &Steps<'_>, events: &[Event]) -> Option<Bracket> {
    if says_no(&call.call.outcome) || !matches!(call.call.outcome, Outcome::Returned(_)) {
        return None;
    }
    let changes = |on: ObjectId| {
        let steps = call.steps.iter().filter(move |(object, _)| *object == on);
        steps
            .filter(|(_, step)| !step.looks)
            .map(|(_, step)| step.at)
    };
    let mut looked_at: Vec<ObjectId> = Vec::new();
    for &(object, step) in &call.steps {
        let came = &events[step.at];
        if step.looks {
            looked_at.push(object);
            continue;
        }
        // It may have looked whether there is room for it.
        if !matches!(came.action, Action::Rmw(..)) || looked_at.iter().any(|it| *it != object) {
            return None;
        }
        let mut later = changes(object).filter(|at| *at > step.at);
        let (Some(goes), None) = (later.next(), later.next()) else {
            continue;
        };
        let went = &events[goes];
        let is_number = matches!(went.action, Action::Rmw(..) | Action::Store(_));
        let taken_back = came.wrote.wrapping_sub(came.read) == went.read.wrapping_sub(went.wrote);
        if is_number && taken_back && came.wrote > came.read {
            let mut bracket = Bracket::new(object, step.at);
            bracket.cuts[1] = goes;
            return shares_nothing_else(call, &bracket).then_some(bracket);
        }
    }
    None
}

/// Begins with a lock, but for numbers, that another call tries in vain; or is that call, and waits for it then, or
/// says that it gave up.
fn locked(call: &Steps<'_>, calls: &[Steps<'_>], events: &[Event]) -> Option<Bracket> {
    let tries = |(object, step): &(ObjectId, Step)| {
        let action = events[step.at].action;
        matches!(action, Action::TryAcquire(LockMode::Exclusive, false)).then_some(*object)
    };
    let is_number = |step: &Step| matches!(events[step.at].action, Action::Rmw(..));
    let first = call.steps.iter().find(|(_, step)| !is_number(step))?;
    let (object, step) = *first;
    let takes = |at: usize| events[at].lock_taken() == Some((object, true));
    let mut bracket = Bracket::new(object, step.at);
    if tries(first).is_some() {
        let later = |(_, it): &&(ObjectId, Step)| it.at > step.at && takes(it.at);
        match call.steps.iter().find(later) {
            Some((_, taken)) => (bracket.cuts[1], bracket.cuts[2]) = (taken.at, taken.at + 1),
            // It says that it did not do what it was to do.
            None if says_no(&call.call.outcome) => bracket.gave_up = true,
            None => return None,
        }
    } else {
        let mut others = calls.iter().filter(|it| it.call.thread != call.call.thread);
        let tried = others.any(|other| other.steps.iter().any(|it| tries(it) == Some(object)));
        if !(takes(step.at) && tried) {
            return None;
        }
    }
    shares_nothing_else(call, &bracket).then_some(bracket)
}

/// No two parts of the call make use of one shared object, but for that of the bracket.
fn shares_nothing_else(call: &Steps<'_>, bracket: &Bracket) -> bool {
    let mut part_of: BTreeMap<ObjectId, usize> = BTreeMap::new();
    call.steps.iter().all(|&(object, step)| {
        let part = bracket.part(step.at);
        object == bracket.object || *part_of.entry(object).or_insert(part) == part
    })
}

/// The calls that see others under way; `None` if one of them is not such a call itself, and does more than look.
fn witnesses<'r>(calls: &[Steps<'r>], brackets: &[Option<Bracket>]) -> Option<Vec<&'r CallRecord>> {
    let mut witnesses = Vec::new();
    for (call, own) in calls.iter().zip(brackets) {
        let others = calls.iter().zip(brackets);
        let others = others.filter(|(it, _)| it.call.thread != call.call.thread);
        let seen = others.filter_map(|(other, bracket)| {
            let bracket = bracket.as_ref()?;
            let last = other.steps.last().map_or(0, |(_, step)| step.at);
            let between = |at: usize| bracket.part(at) > 0 && at < last;
            let mut steps = call.steps.iter();
            (steps.any(|(on, step)| *on == bracket.object && between(step.at))).then_some(bracket)
        });
        let seen: Vec<&Bracket> = seen.collect();
        if seen.is_empty() {
            continue;
        }
        let only_looks = || call.steps.iter().all(|(_, step)| step.looks);
        let like_them = |it: &&Bracket| own.is_some_and(|own| own.object == it.object);
        if !seen.iter().all(like_them) && !only_looks() {
            return None;
        }
        if !own.is_some_and(|it| it.gave_up) {
            witnesses.push(call.call);
        }
    }
    Some(witnesses)
}

/// True if the parts of the calls cannot run one after another, in the order of their dependent steps.
fn has_cycle(calls: &[Steps<'_>], brackets: &[Option<Bracket>], record: &ExecutionRecord) -> bool {
    // For each part, the parts after it.
    let mut after = vec![0_u64; calls.len() * PARTS];
    let mut steps: Vec<(usize, ObjectId, usize, bool)> = Vec::new();
    for (number, (call, bracket)) in calls.iter().zip(brackets).enumerate() {
        let part = |at: usize| number * PARTS + bracket.map_or(0, |it| it.part(at));
        // What it saw of its number before was no more than an attempt.
        let attempts = |object: ObjectId, step: &Step| {
            let own = bracket.filter(|it| it.object == object);
            step.looks && own.is_some_and(|it| step.at + 1 < it.cuts[0])
        };
        for (object, step) in &call.steps {
            if !attempts(*object, step) {
                steps.push((step.at, *object, part(step.at), step.looks));
            }
        }
        for part in 1..PARTS {
            after[number * PARTS + part - 1] |= 1 << (number * PARTS + part);
        }
        let next = calls[number + 1..]
            .iter()
            .position(|it| it.call.thread == call.call.thread);
        if let Some(next) = next {
            after[number * PARTS + PARTS - 1] |= 1 << ((number + 1 + next) * PARTS);
        }
    }
    steps.sort_unstable_by_key(|step| step.0);
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
    let mut left: u64 = (0..after.len()).fold(0, |all, part| all | 1 << part);
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
