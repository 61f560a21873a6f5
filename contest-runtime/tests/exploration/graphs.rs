//! Execution graphs of sequentially consistent programs with locks, channels and the like, held against brute force.
//!
//! Where all orderings are `SeqCst`, RC11 allows what sequential consistency does: every execution has one of the
//! graphs, and every graph is that of an execution.

use std::collections::{BTreeMap, BTreeSet};

use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_data::rng::Rng;
use contest_data::trace::{Action, Ending, Event, ExecutionRecord, ObjectId, Writes};
use contest_search::explore::Graphs;

use crate::brute_force::every_execution;
use crate::families::{FAMILIES, Family};
use crate::program::{Op, Program, explore_within};

type Name = (u16, u32);

/// What makes a graph: which write each read took, the order of the writes to each location, the order of the
/// operations on each other object, and how it ended.
type Key = (
    Vec<(Name, Option<Name>)>,
    Vec<Vec<Name>>,
    Vec<Vec<Name>>,
    u8,
);

/// Which write each read took, and the order of the writes to each location.
type Writing = (Vec<(Name, Option<Name>)>, Vec<Vec<Name>>);

fn name(event: &Event) -> Name {
    (event.thread.0, event.index)
}

fn is_atomic(action: Action) -> bool {
    matches!(
        action,
        Action::Load(_) | Action::Store(_) | Action::Rmw(..) | Action::CasFail(_)
    )
}

/// Reads and modification orders of an execution in which each read takes the last write.
fn in_order(record: &ExecutionRecord) -> Writing {
    let (mut reads, mut orders) = (Vec::new(), BTreeMap::<u32, Vec<Name>>::new());
    for event in record.events.iter().filter(|event| is_atomic(event.action)) {
        let order = orders.entry(event.object.0).or_default();
        if !matches!(event.action, Action::Store(_)) {
            reads.push((name(event), order.last().copied()));
        }
        if matches!(event.action, Action::Store(_) | Action::Rmw(..)) {
            order.push(name(event));
        }
    }
    (reads, orders.into_values().collect())
}

/// As the record says.
fn as_recorded(record: &ExecutionRecord) -> Writing {
    let named = |at: u32| (at != Writes::INITIAL).then(|| name(&record.events[at as usize]));
    let own = |at: u32| name(&record.events[at as usize]);
    let reads = record.writes.reads.iter();
    let reads = reads.map(|read| (own(read.event), named(read.from)));
    let orders = record.writes.orders.iter();
    let orders = orders.map(|order| order.iter().filter_map(|&at| named(at)).collect());
    (reads.collect(), orders.collect())
}

fn key(record: &ExecutionRecord, weak: bool) -> Key {
    let (mut reads, mut writes) = match weak {
        true => as_recorded(record),
        false => in_order(record),
    };
    reads.sort_unstable();
    writes.retain(|order| !order.is_empty());
    writes.sort_unstable();
    let mut objects = BTreeMap::<u32, Vec<Name>>::new();
    for event in record.events.iter().filter(|event| event.thread.0 != 0) {
        let seconds = (event.second != event.object).then_some(event.second);
        for object in [Some(event.object), seconds].into_iter().flatten() {
            let counts = object != ObjectId::NONE
                && !is_atomic(event.action)
                && !matches!(event.action, Action::Yield | Action::Begin | Action::End);
            if counts {
                objects.entry(object.0).or_default().push(name(event));
            }
        }
    }
    let mut objects: Vec<Vec<Name>> = objects.into_values().collect();
    objects.sort_unstable();
    let ending = match record.ending {
        Ending::Deadlock(_) => 1,
        Ending::Livelock(_) => 2,
        _ => 0,
    };
    (reads, writes, objects, ending)
}

/// Number of graphs by brute force, of executions, and of those that were given up; `None` if brute force takes too
/// long.
fn compare(family: &Family, program: &Program, once: bool) -> Option<(usize, u64, u64)> {
    let mut all = BTreeSet::new();
    let holds_back = every_execution(program, &family.limits(), 20_000, |record| {
        all.insert(key(record, false));
    })?;
    let mut graphs = Graphs::new();
    let mut shown = BTreeSet::new();
    explore_within(program, family.limits(), &mut graphs, |record| {
        if record.ending != Ending::Abandoned {
            shown.insert(key(record, true));
        }
    });
    let name = family.name;
    assert!(graphs.gaps().is_empty(), "{name}: {program:?}");
    assert!(graphs.exhausted(), "{name}: {program:?}");
    let counts = graphs.traces().unwrap();
    let missing: Vec<_> = all.difference(&shown).collect();
    assert!(missing.is_empty(), "{name}: {program:?} misses {missing:?}");
    // Who sees that a `Once` is not complete knows nothing of what its initialiser has written. All operations of a
    // kind are at one place, so that brute force takes three of them for a loop that waits.
    if name != "once" && !holds_back {
        let wrong: Vec<_> = shown.difference(&all).collect();
        assert!(wrong.is_empty(), "{name}: {program:?} shows {wrong:?}");
    }
    if once {
        let found = shown.len() as u64;
        assert_eq!(
            found, counts.traces,
            "{name}: {program:?}: some graph twice"
        );
    }
    Some((all.len(), counts.traces, counts.redundant))
}

/// `once`: each graph has one execution, which is so where no operation concerns two objects.
fn compare_families(wanted: &[&str], once: bool, programs: u32, threads: u16, most: u32) {
    for name in wanted {
        let found = FAMILIES.iter().find(|family| family.name == *name);
        let family = found.unwrap_or_else(|| panic!("no family is named {name}"));
        let mut rng = Rng::new(7);
        let (mut compared, mut traces, mut graphs, mut given_up) = (0, 0, 0, 0);
        for _ in 0..programs {
            let program = family.program(&mut rng, threads, most);
            if let Some(counts) = compare(family, &program, once) {
                compared += 1;
                traces += counts.0;
                graphs += counts.1;
                given_up += counts.2;
            }
        }
        println!(
            "{name}: {compared} programs, {traces} graphs, {graphs} executions, {given_up} given up"
        );
        assert!(compared * 2 > programs, "{name}");
    }
}

const LOCKS: [&str; 7] = [
    "mutex",
    "nested locks in either order (ABBA)",
    "try-lock",
    "reader-writer lock",
    "writers that keep new readers out",
    "writers beside read lock inside read lock",
    "read lock inside read lock",
];

const OTHERS: [&str; 7] = [
    "bounded channel",
    "unbounded channel",
    "channel with room for two",
    "bounded channel whose receiver goes",
    "park, unpark",
    "once",
    "barrier",
];

/// Where an operation concerns two objects.
const TWO_OBJECTS: [&str; 4] = [
    "condition variable",
    "condition variable, notified outside of the lock",
    "rendezvous channel",
    "rendezvous channel whose receiver goes",
];

#[test]
fn graphs_of_locks_are_those_of_brute_force() {
    compare_families(&LOCKS, true, 60, 2, 4);
    compare_families(&LOCKS, true, 25, 3, 2);
}

#[test]
fn graphs_of_channels_and_the_like_are_those_of_brute_force() {
    compare_families(&OTHERS, true, 60, 2, 4);
    compare_families(&OTHERS, true, 25, 3, 2);
}

#[test]
fn graphs_of_operations_on_two_objects_are_those_of_brute_force() {
    compare_families(&TWO_OBJECTS, false, 60, 2, 4);
    compare_families(&TWO_OBJECTS, false, 15, 3, 2);
}

#[test]
fn graphs_of_atomics_and_values_are_those_of_brute_force() {
    let atomics = ["loads, stores", "read-modify-write", "compare-exchange"];
    compare_families(&atomics, true, 60, 2, 4);
    compare_families(&["control that depends on data"], true, 60, 2, 4);
}

/// Graphs, and executions given up, of one operation after another of two threads.
fn counts_of(first: &[Op], second: &[Op]) -> (u64, u64) {
    let program = vec![first.to_vec(), second.to_vec()];
    let mut graphs = Graphs::new();
    explore_within(&program, Limits::default(), &mut graphs, |_| ());
    assert!(
        graphs.exhausted() && graphs.gaps().is_empty(),
        "{program:?}"
    );
    let counts = graphs.traces().unwrap();
    (counts.traces, counts.redundant)
}

#[test]
fn an_execution_in_which_a_thread_waited_goes_on_when_the_lock_is_free() {
    let section = [Op::Lock(0), Op::Add(0), Op::Unlock(0)];
    assert_eq!(counts_of(&section, &section), (2, 0));
}

#[test]
fn what_a_thread_waits_for_comes_before_it_in_the_order_of_all_objects() {
    let waits = [Op::Lock(0), Op::Wait(0), Op::Unlock(0)];
    let notifies = [Op::Lock(0), Op::Unlock(0), Op::NotifyOne(0)];
    let (graphs, given_up) = counts_of(&notifies, &waits);
    assert!(graphs >= 3, "{graphs}");
    // One of them shows that all objects have one order.
    assert!(given_up <= 1, "{given_up}");
}
