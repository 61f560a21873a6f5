//! What the generator makes of a set whose sequences are played by a small machine.

use std::collections::BTreeSet;

use super::*;
use crate::generate::call_tree::{SequenceAccess, SequenceRun};
use crate::generate::fixtures::{KEY, constructor, observer, operation};
use crate::generate::pair_order::PairOrder;
use crate::generate::{DependencyTable, RandomCalls};
use contest_data::settings::TestSize;
use contest_data::subject::Subject;

const PUT: u16 = 0;
const REMOVE: u16 = 1;
const SCAN: u16 = 2;
const COUNT: u16 = 3;

static SET: Subject = Subject {
    name: "Set",
    path: "Set",
    constructors: &[constructor("Set::new()")],
    operations: &[
        operation("put", KEY),
        operation("remove", KEY),
        observer("scan", &[]),
        observer("count", &[]),
    ],
    state: None,
};

/// `scan` takes two steps, all others one.
struct Set;

impl RunCalls for Set {
    fn run_calls(&mut self, _: &TestObject, calls: &[TestCall]) -> SequenceRun {
        let mut keys = BTreeSet::new();
        let mut accesses = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            match call.operation {
                PUT => _ = keys.insert(call.choices[0]),
                REMOVE => _ = keys.remove(&call.choices[0]),
                _ => {}
            }
            let steps = if call.operation == SCAN { 2 } else { 1 };
            accesses.extend((0..steps).map(|variable| SequenceAccess {
                call: at,
                variable,
                site: u64::from(call.operation),
                reads: true,
                writes: false,
                visible: true,
                section: variable + 1,
            }));
        }
        let state = keys
            .iter()
            .fold(1, |state, key| 7 * state + u64::from(*key) + 1);
        SequenceRun {
            trace: 0,
            state: Some(state),
            failed: false,
            waits: false,
            pends: false,
            gave_up: false,
            lock_orders: Vec::new(),
            acts: true,
            accesses,
        }
    }
}

fn tests(count: usize) -> Vec<ConcurrentTest> {
    let table = DependencyTable::default();
    let pairs = PairOrder::new(&RandomCalls::new(&SET), &table).kept;
    let mut parts = Parts::new(&SET, 0, TestSize::USUAL, 1, "effects", table);
    let mut effects = Effects::new(pairs);
    (0..count)
        .map_while(|_| effects.propose(&mut parts, &mut Set))
        .collect()
}

fn operations(calls: &[TestCall]) -> Vec<u16> {
    calls.iter().map(|call| call.operation).collect()
}

#[test]
fn an_entry_moves_while_a_call_of_several_steps_goes_through_all() {
    let moves = tests(60).into_iter().any(|test| {
        let [look, beside] = &test.threads[..] else {
            return false;
        };
        let [first, second] = &beside[..] else {
            return false;
        };
        operations(look) == [SCAN]
            && operations(&test.prefix) == [PUT]
            && operations(beside) == [PUT, REMOVE]
            && second.choices == test.prefix[0].choices
            && first.choices != second.choices
    });
    assert!(moves);
}

#[test]
fn what_changes_nothing_or_takes_one_step_is_no_part_of_a_change() {
    let all = tests(60);
    let changes: Vec<&ConcurrentTest> = all
        .iter()
        .filter(|test| test.prefix.len() == 1 && test.threads[0].len() == 1)
        .collect();
    assert!(changes.len() > 20, "{}", changes.len());
    for test in changes {
        assert_eq!(operations(&test.threads[0]), [SCAN], "{test:?}");
        assert!(!operations(&test.threads[1]).contains(&COUNT), "{test:?}");
        let run = |calls: &[TestCall]| Set.run_calls(&test.objects[0], calls).state;
        let both = [&test.prefix[..], &test.threads[1][..1]].concat();
        assert_ne!(run(&test.prefix), run(&both), "{test:?}");
    }
}
