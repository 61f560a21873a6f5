//! What one thread of a test does when it runs alone: its calls as units of work, with the locks held at each access.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::coverage::{Contents, access_of};
use contest_data::atomic_sets::AtomicSets;
use contest_data::sorted;
use contest_data::trace::{Action, Event, ExecutionRecord, LockMode, ObjectId, ThreadIndex};

/// A lock held: which, the number of the acquisition in its lane, the mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct HeldLock {
    pub lock: ObjectId,
    pub acquisition: u32,
    pub mode: LockMode,
}

/// An access of a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct UnitAccess {
    /// Its number among the accesses of its call, counting from 0.
    pub place: u32,
    /// Position of its event in the execution.
    pub event: usize,
    pub variable: ObjectId,
    pub reads: bool,
    pub writes: bool,
    pub held: Vec<HeldLock>,
    /// The atomic sets of the variable, a bit each.
    pub sets: u64,
    /// Where it is in the source: file, line, column.
    pub site: (&'static str, u32, u32),
}

/// A call as a unit of work.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Unit {
    pub accesses: Vec<UnitAccess>,
}

/// What one thread did, alone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lane {
    pub thread: ThreadIndex,
    /// Its calls in order.
    pub units: Vec<Unit>,
    /// Object of each visible operation inside calls, in order: identifies objects across executions.
    objects: Vec<(ObjectId, &'static str)>,
    /// The same for every other lane of the execution, by thread.
    others: Vec<(ThreadIndex, Vec<(ObjectId, &'static str)>)>,
}

impl Unit {
    /// A hash of what it does, equal for calls that do the same at the same places under as many locks.
    pub(super) fn context(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for access in &self.accesses {
            let does = (access.reads, access.writes, access.held.len());
            (access.site, does).hash(&mut hasher);
        }
        hasher.finish()
    }
}

impl Lane {
    /// A thread with these calls.
    #[cfg(test)]
    pub(super) fn of(thread: ThreadIndex, units: Vec<Unit>) -> Self {
        Self {
            thread,
            units,
            objects: Vec::new(),
            others: Vec::new(),
        }
    }
}

/// The threads with calls in an execution, in order of their creation, the main thread aside.
pub(super) fn lanes(record: &ExecutionRecord, sets: &AtomicSets) -> Vec<Lane> {
    let sets = sets.of_objects(record);
    let mut lanes: Vec<Lane> = Vec::new();
    let mut held: HashMap<ThreadIndex, Vec<HeldLock>> = HashMap::new();
    let mut acquisitions = 0;
    for (position, event) in record.events.iter().enumerate() {
        if event.thread == ThreadIndex::MAIN {
            continue;
        }
        if event.action == Action::CallBegin {
            lane(&mut lanes, event.thread).units.push(Unit::default());
            continue;
        }
        let is_in_call = lanes.iter().any(|lane| lane.thread == event.thread);
        if of_harness(event.action) || arrives_only(event.action) || !is_in_call {
            continue;
        }
        let holds = held.entry(event.thread).or_default();
        note_lock(holds, event, &mut acquisitions);
        let own = lane(&mut lanes, event.thread);
        let what = record.objects.get(event.object.0 as usize);
        own.objects
            .push((event.object, what.copied().unwrap_or_default()));
        if let Some((variable, reads, writes)) = access(event)
            && let Some(unit) = own.units.last_mut()
        {
            let place = unit.accesses.len() as u32;
            unit.accesses.push(UnitAccess {
                place,
                event: position,
                variable,
                reads,
                writes,
                held: holds.clone(),
                sets: sets.of(variable),
                site: site(event, place),
            });
        }
    }
    sorted::sort_by_key(&mut lanes, |lane| lane.thread);
    let all: Vec<(ThreadIndex, Vec<(ObjectId, &'static str)>)> = lanes
        .iter()
        .map(|lane| (lane.thread, lane.objects.clone()))
        .collect();
    for lane in &mut lanes {
        lane.others.clone_from(&all);
    }
    lanes
}

fn lane(lanes: &mut Vec<Lane>, thread: ThreadIndex) -> &mut Lane {
    let found = lanes.iter().position(|lane| lane.thread == thread);
    let index = found.unwrap_or_else(|| {
        lanes.push(Lane {
            thread,
            units: Vec::new(),
            objects: Vec::new(),
            others: Vec::new(),
        });
        lanes.len() - 1
    });
    &mut lanes[index]
}

fn note_lock(held: &mut Vec<HeldLock>, event: &Event, acquisitions: &mut u32) {
    let mut take = |lock, mode| {
        *acquisitions += 1;
        held.push(HeldLock {
            lock,
            acquisition: *acquisitions,
            mode,
        });
    };
    match event.action {
        Action::Acquire(mode) | Action::TryAcquire(mode, true) => take(event.object, mode),
        Action::Arrive(true) => take(event.object, LockMode::Exclusive),
        Action::Wake(_) if event.second != ObjectId::NONE => {
            take(event.second, LockMode::Exclusive);
        }
        Action::Release(..) => forget(held, event.object),
        Action::Wait => forget(held, event.second),
        _ => {}
    }
}

fn forget(held: &mut Vec<HeldLock>, lock: ObjectId) {
    if let Some(at) = held.iter().rposition(|one| one.lock == lock) {
        held.remove(at);
    }
}

/// Objects are numbered by first use, so their numbers differ between executions in which different threads ran first.
/// Every lane gets the numbers of the first lane's execution, found by going through what both executions did side by
/// side; an object that cannot be found again gets a fresh number, so that nothing is predicted about it.
pub(super) fn name_objects_alike(alone: &mut [Lane]) {
    let Some((first, rest)) = alone.split_first_mut() else {
        return;
    };
    let mut unknown = u32::MAX / 2;
    for lane in rest {
        let mut names: HashMap<ObjectId, ObjectId> = HashMap::new();
        for (thread, objects) in &lane.others {
            let there = first.others.iter().find(|(same, _)| same == thread);
            let Some((_, reference)) = there else {
                continue;
            };
            for (own, known) in objects.iter().zip(reference) {
                if own.1 != known.1 {
                    break;
                }
                names.entry(own.0).or_insert(known.0);
            }
        }
        let mut name = |object: ObjectId| {
            *names.entry(object).or_insert_with(|| {
                unknown += 1;
                ObjectId(unknown)
            })
        };
        for access in lane.units.iter_mut().flat_map(|unit| &mut unit.accesses) {
            access.variable = name(access.variable);
            for held in &mut access.held {
                held.lock = name(held.lock);
            }
        }
    }
}

/// How an event accesses a variable: the variable, reads, writes. Contents of locks and channels count as one variable
/// each, and so does each piece of memory whose accesses are visible.
pub(super) fn access(event: &Event) -> Option<(ObjectId, bool, bool)> {
    match event.action {
        Action::PlainRead => Some((event.object, true, false)),
        Action::PlainWrite => Some((event.object, false, true)),
        _ => access_of(event, Contents::Counted)
            .map(|(variable, reads, writes, _)| (variable, reads, writes)),
    }
}

/// True for operations that may be an access once they are executed.
pub(super) fn may_access(action: Action) -> bool {
    matches!(
        action,
        Action::Load(_)
            | Action::Store(_)
            | Action::Rmw(..)
            | Action::CasFail(_)
            | Action::Acquire(_)
            | Action::TryAcquire(..)
            | Action::Arrive(_)
            | Action::Wake(_)
            | Action::Send(..)
            | Action::Receive(..)
            | Action::PlainRead
            | Action::PlainWrite
    )
}

/// A writer begins to wait for readers: it takes the lock in a later step, and only where they hold it.
fn arrives_only(action: Action) -> bool {
    action == Action::Arrive(false)
}

/// Where the access with this number in its call is in the source. Accesses of memory have no place there.
pub(super) fn site(event: &Event, place: u32) -> (&'static str, u32, u32) {
    match event.action {
        Action::PlainRead | Action::PlainWrite => ("", place, 0),
        _ => {
            let location = event.location;
            (location.file(), location.line(), location.column())
        }
    }
}

/// Operations of the harness, which are part of no call.
pub(super) fn of_harness(action: Action) -> bool {
    matches!(
        action,
        Action::CallBegin | Action::CallHold | Action::LaneEnd | Action::Begin | Action::End
    )
}
