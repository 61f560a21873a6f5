use std::collections::BTreeSet;

use super::*;
use crate::generate::DependencyTable;
use crate::generate::call_tree::SequenceAccess;
use crate::generate::fixtures::{KEY, constructor, observer, operation};
use contest_data::settings::TestSize;
use contest_data::subject::{Constructor, Operation, Subject};

const PUT: u16 = 0;
const REMOVE: u16 = 1;
const IS_EMPTY: u16 = 2;
const COUNT: u16 = 3;
const COMPARE: u16 = 4;
const CLEAR: u16 = 5;

const CONSTRUCTORS: &[Constructor] = &[constructor("Set::new()")];
const OPERATIONS: &[Operation] = &[
    operation("put", KEY),
    operation("remove", KEY),
    observer("is_empty", &[]),
    observer("count", &[]),
    observer("compare", &[]),
    operation("clear", &[]),
];

const fn subject(operations: &'static [Operation]) -> Subject {
    Subject {
        name: "Set",
        path: "Set",
        constructors: CONSTRUCTORS,
        operations,
        state: None,
    }
}

static SET: Subject = subject(OPERATIONS.split_at(5).0);
static WITH_CLEAR: Subject = subject(OPERATIONS);

/// A set whose keys have a lock each. `is_empty` looks at one key after another until one is there, `compare` at both
/// one after another; `count` looks at both at once, and `clear` removes both.
struct Set;

impl RunCalls for Set {
    fn run_calls(&mut self, _: &TestObject, calls: &[TestCall]) -> SequenceRun {
        let mut keys = BTreeSet::new();
        let mut accesses = Vec::new();
        let mut trace = 0;
        for (at, call) in calls.iter().enumerate() {
            let mut access = |variable: u8, section, writes| {
                accesses.push(SequenceAccess {
                    call: at,
                    variable: u32::from(variable),
                    site: u64::from(call.operation),
                    reads: true,
                    writes,
                    visible: true,
                    section,
                });
            };
            trace = u32::from(call.operation);
            match call.operation {
                PUT | REMOVE => {
                    let key = call.choices[0];
                    access(key, 1, true);
                    let changed = if call.operation == PUT {
                        keys.insert(key)
                    } else {
                        keys.remove(&key)
                    };
                    trace += 10 * u32::from(changed);
                }
                IS_EMPTY => {
                    access(0, 1, false);
                    if !keys.contains(&0) {
                        access(1, 2, false);
                        trace += 10;
                    }
                }
                COMPARE => {
                    access(0, 1, false);
                    access(1, 2, false);
                }
                _ => {
                    let clears = call.operation == CLEAR;
                    access(0, 1, clears);
                    access(1, 1, clears);
                    if clears {
                        keys.clear();
                    }
                }
            }
        }
        let states = keys.iter().map(|key| u64::from(*key) + 1);
        SequenceRun {
            trace,
            state: Some(states.fold(1, |state, key| 7 * state + key)),
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

fn parts(subject: &'static Subject) -> Parts {
    let table = DependencyTable::default();
    Parts::new(subject, 0, TestSize::USUAL, 1, "effects", table)
}

fn tests(subject: &'static Subject, beside: Beside) -> Vec<ConcurrentTest> {
    let (mut parts, mut set) = (parts(subject), Set);
    let mut meetings = Meetings::default();
    std::iter::from_fn(|| {
        let mut looks = 0..100;
        looks.find_map(|_| meetings.next(&mut parts, beside, &mut set))
    })
    .collect()
}

fn keys(calls: &[TestCall]) -> Vec<u8> {
    calls.iter().map(|call| call.choices[0]).collect()
}

#[test]
fn an_entry_moves_from_a_key_looked_at_later_to_one_looked_at_before() {
    let all = tests(&SET, Beside::Two);
    assert!(all.len() > 4, "{all:?}");
    for test in &all {
        // The other way round, what a call sees is what it sees between the two changes.
        let keys = keys(&test.threads[1]);
        assert_eq!(keys, [0, 1], "{test:?}");
        assert_ne!(test.threads[0][0].operation, COUNT, "{test:?}");
    }
    let move_beside = |operation: u16| {
        let find = |test: &ConcurrentTest| {
            test.threads[0][0].operation == operation
                && test.threads[1][0].operation == PUT
                && test.threads[1][1].operation == REMOVE
                && keys(&test.prefix) == [1]
        };
        all.iter().position(find)
    };
    assert!(move_beside(IS_EMPTY).is_some() && move_beside(COMPARE).is_some());
}

#[test]
fn what_takes_another_path_comes_first() {
    let all = tests(&SET, Beside::Two);
    let same = |test: &ConcurrentTest| {
        let call = &test.threads[0][..];
        let run = |calls: &[&[TestCall]]| {
            let object = &test.objects[0];
            Set.run_calls(object, &calls.concat()).trace
        };
        run(&[&test.prefix, call]) == run(&[&test.prefix, &test.threads[1], call])
    };
    assert!(!same(&all[0]), "{:?}", all[0]);
    assert!(all.iter().any(same));
}

#[test]
fn one_change_disturbs_if_it_touches_two_sections() {
    assert!(tests(&SET, Beside::One).is_empty());
    let all = tests(&WITH_CLEAR, Beside::One);
    assert!(!all.is_empty());
    for test in &all {
        assert_eq!(test.threads[1][0].operation, CLEAR, "{test:?}");
    }
}

/// Calls of thousands of sections, in which each of them accesses a variable of its own.
struct Busy;

impl RunCalls for Busy {
    fn run_calls(&mut self, object: &TestObject, calls: &[TestCall]) -> SequenceRun {
        let mut run = Set.run_calls(object, calls);
        for call in 0..calls.len() {
            run.accesses
                .extend((3..5_000).map(|section| SequenceAccess {
                    call,
                    variable: 2 + call as u32,
                    site: 0,
                    reads: true,
                    writes: true,
                    visible: true,
                    section,
                }));
        }
        run
    }
}

/// A search that compared each access with each other one would not come to its end.
#[test]
fn calls_that_do_very_much_have_the_same_meetings() {
    let first = |runner: &mut dyn RunCalls| {
        let mut parts = parts(&WITH_CLEAR);
        Meetings::default().next(&mut parts, Beside::One, runner)
    };
    let expected = first(&mut Set);
    assert!(expected.is_some());
    assert_eq!(first(&mut Busy), expected);
}
