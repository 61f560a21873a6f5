//! The requirements against those that are found by trying all sequences.

use std::collections::BTreeSet;

use super::*;
use crate::generate::call_tree::SequenceRun;
use crate::generate::fixtures::{KEY, constructor, exclusive, operation};
use crate::generate::generators::TestSource;
use contest_data::dependencies::Dependencies;
use contest_data::settings::{Prunings, TestSize};
use contest_data::subject::Subject;

static BOARD: Subject = Subject {
    name: "Board",
    path: "Board",
    constructors: &[constructor("Board::new()")],
    operations: &[
        operation("set", KEY),
        operation("get", &[]),
        operation("switch", &[]),
        operation("turn", &[]),
    ],
    state: None,
};

/// Accesses of a call as variable, place and whether it writes. After `switch`, `get` accesses the other field at the
/// same place, and `turn` does something at all.
fn accesses_of(operation: u16, switched: bool) -> &'static [(u32, u64, bool)] {
    match (operation, switched) {
        (0, _) => &[(1, 10, false), (1, 11, true)],
        (1, false) => &[(1, 20, false)],
        (1, true) => &[(2, 20, false)],
        (2, _) => &[(3, 30, true)],
        (3, false) => &[],
        (4, _) => accesses_of(1, switched),
        _ => &[(3, 31, false), (2, 41, true), (2, 42, false)],
    }
}

/// Accesses of all calls of a sequence.
fn trace(calls: &[u16]) -> Vec<SequenceAccess> {
    let mut switched = false;
    let mut trace = Vec::new();
    for (call, &operation) in calls.iter().enumerate() {
        for &(variable, site, writes) in accesses_of(operation, switched) {
            trace.push(SequenceAccess {
                call,
                variable,
                site,
                reads: !writes,
                visible: true,
                writes,
                section: 1,
            });
        }
        switched ^= operation == 2;
    }
    trace
}

fn operations(calls: &[TestCall]) -> Vec<u16> {
    calls.iter().map(|call| call.operation).collect()
}

struct Board;

impl RunCalls for Board {
    fn run_calls(&mut self, _: &TestObject, calls: &[TestCall]) -> SequenceRun {
        SequenceRun {
            trace: 0,
            state: None,
            failed: false,
            waits: false,
            pends: false,
            gave_up: false,
            lock_orders: Vec::new(),
            acts: true,
            accesses: trace(&operations(calls)),
        }
    }
}

type Order = (u64, u64, u64);

/// Sequences of up to this many calls.
fn sequences(longest: usize) -> Vec<Vec<u16>> {
    let mut all: Vec<Vec<u16>> = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..longest {
        let to = all.len();
        for at in from..to {
            for operation in 0..4 {
                let mut longer = all[at].clone();
                longer.push(operation);
                all.push(longer);
            }
        }
        from = to;
    }
    all
}

/// Every order of three accesses that the last two calls of a sequence and the last one of another one have, if the
/// places belong to one field by any sequence: places 10, 11, 20, 41 and 42 do, because 20 accesses both fields.
fn by_brute_force() -> BTreeSet<Order> {
    let all = sequences(4);
    let field = |site: u64| if site / 10 == 3 { 3 } else { 1 };
    let writes = |site: u64| [11, 30, 41].contains(&site);
    let mut found = BTreeSet::new();
    for one in &all {
        let of_one = trace(one);
        for (at, first) in of_one.iter().enumerate() {
            let near = first.call + 2 >= one.len();
            for second in of_one[at + 1..].iter().filter(|_| near) {
                if second.variable != first.variable || second.call + 1 != one.len() {
                    continue;
                }
                for between in [10, 11, 20, 30, 31, 41, 42] {
                    let conflicts = writes(between) || (writes(first.site) && writes(second.site));
                    if conflicts && field(between) == field(first.site) {
                        found.insert((first.site, between, second.site));
                    }
                }
            }
        }
    }
    found
}

#[test]
fn the_requirements_are_those_that_all_sequences_have() {
    let size = TestSize {
        threads: 2,
        calls: 2,
    };
    let table = crate::generate::DependencyTable::new(&Dependencies::default());
    let mut parts = Parts::new(&BOARD, 0, size, 5, "consuite", table);
    let mut consuite = ConSuite::default();
    let expected = by_brute_force();
    for _ in 0..2_000 {
        consuite.look(&mut parts, &mut Board);
        let found: BTreeSet<Order> = consuite.required.iter().copied().collect();
        assert!(found.is_subset(&expected), "{found:?}");
    }
    let found: BTreeSet<Order> = consuite.required.iter().copied().collect();
    assert_eq!(found, expected);
}

#[test]
fn tests_cover_every_feasible_requirement_and_no_calling_context_tells_places_apart() {
    let size = TestSize {
        threads: 2,
        calls: 2,
    };
    let none = Dependencies::default();
    let mut source =
        TestSource::new("consuite", &BOARD, 0, size.into(), 5, &none, Prunings::ALL).unwrap();
    let tests: Vec<ConcurrentTest> = (0..300).map_while(|_| source.next(&mut Board)).collect();
    let mut covered: BTreeSet<Order> = BTreeSet::new();
    for test in &tests {
        let prefix = operations(&test.prefix);
        let lanes: Vec<Vec<SequenceAccess>> = (0..2)
            .map(|lane| {
                let calls = [prefix.clone(), operations(&test.threads[lane])].concat();
                let mut accesses = trace(&calls);
                accesses.retain(|access| access.call >= prefix.len());
                accesses
            })
            .collect();
        for (one, two) in [(0, 1), (1, 0)] {
            for (at, first) in lanes[one].iter().enumerate() {
                for second in &lanes[one][at + 1..] {
                    for between in &lanes[two] {
                        if first.variable == second.variable {
                            covered.insert((first.site, between.site, second.site));
                        }
                    }
                }
            }
        }
    }
    // These need `get` at the first field and `turn` where there is the second one. No state has both: requirements
    // that do not know of states may be infeasible (Terragni and Cheung, section 3).
    let infeasible = [(10, 41, 20), (11, 41, 20), (20, 41, 10), (20, 41, 11)];
    let missing: Vec<Order> = by_brute_force().difference(&covered).copied().collect();
    assert_eq!(missing, infeasible);
    // `get` in the one state and in the other is one place: nothing is made to have both beside `set`.
    let first: Vec<&ConcurrentTest> = tests.iter().take(12).collect();
    let twice = first.iter().filter(|test| {
        let lanes: Vec<Vec<u16>> = test.threads.iter().map(|lane| operations(lane)).collect();
        lanes == [vec![0], vec![1]] && !test.prefix.is_empty()
    });
    assert_eq!(twice.count(), 0);
}

#[test]
fn no_thread_calls_what_needs_the_object_for_itself() {
    static OWNED: Subject = Subject {
        name: "Board",
        path: "Board",
        constructors: &[constructor("Board::new()")],
        operations: &[
            operation("set", KEY),
            operation("get", &[]),
            operation("switch", &[]),
            operation("turn", &[]),
            exclusive("get_mut", &[]),
        ],
        state: None,
    };
    let size = TestSize {
        threads: 2,
        calls: 2,
    };
    let table = crate::generate::DependencyTable::new(&Dependencies::default());
    let mut parts = Parts::new(&OWNED, 0, size, 5, "consuite", table);
    let mut consuite = ConSuite::default();
    let (mut alone, mut before) = (0, 0);
    for _ in 0..500 {
        let test = consuite.propose(&mut parts, &mut Board).unwrap();
        let calls = test.threads.iter().flatten();
        alone += calls.filter(|call| call.operation == 4).count();
        before += test.prefix.iter().filter(|it| it.operation == 4).count();
    }
    assert_eq!(alone, 0);
    assert!(before > 0);
}
