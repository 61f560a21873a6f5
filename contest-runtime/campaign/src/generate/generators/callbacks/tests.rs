use super::super::TestSource;
use super::*;
use crate::generate::fixtures::{constructor, operation, with_user_code};
use crate::generate::{LockOrder, SequenceAccess, SequenceRun};
use contest_data::dependencies::Dependencies;
use contest_data::settings::{Prunings, SizeBounds};
use contest_data::subject::{Argument, Constructor, Subject, UserCode};
use contest_data::test::TestObject;

const MAKE: &[Constructor] = &[constructor("Table::new()")];
const CALLS: &[Argument] = &[Argument {
    choices: &[
        "|…| { back.len(); … }",
        "|…| { back.log(); … }",
        "|…| { back.hangs(); … }",
    ],
    object: false,
    of_future: false,
    of_texts: false,
}];

/// Locks 0 and 1: `update` runs its closure with lock 0, `log` takes lock 1, `flush` takes 1 and then 0.
static TABLE: Subject = Subject {
    name: "Table",
    path: "Table",
    constructors: MAKE,
    operations: &[
        operation("update", &[]),
        operation("flush", &[]),
        operation("other", &[]),
        with_user_code("update", CALLS, UserCode::ComesBack),
        with_user_code("update", &[], UserCode::Panics),
    ],
    state: None,
};

struct Locks;

impl RunCalls for Locks {
    fn run_calls(&mut self, _: &TestObject, calls: &[TestCall]) -> SequenceRun {
        let mut run = SequenceRun {
            failed: false,
            ..SequenceRun::FAILED
        };
        for (number, call) in calls.iter().enumerate() {
            let takes: &[u32] = match (call.operation, call.choices.first()) {
                (0 | 4, _) | (3, Some(0)) => &[0],
                (1, _) => &[1, 0],
                (3, Some(1)) => &[0, 1],
                (3, _) => return SequenceRun::FAILED,
                _ => &[2],
            };
            for (place, &lock) in takes.iter().enumerate() {
                run.accesses.push(SequenceAccess {
                    call: number,
                    variable: lock,
                    site: 0,
                    section: 0,
                    reads: true,
                    writes: true,
                    visible: true,
                });
                run.lock_orders
                    .extend(takes[..place].iter().map(|&outer| LockOrder {
                        call: number,
                        outer,
                        inner: lock,
                    }));
            }
        }
        run
    }
}

fn tests(subject: &'static Subject) -> Vec<Vec<Vec<TestCall>>> {
    let none = Dependencies::default();
    let bounds = SizeBounds::default();
    let source = TestSource::new("callbacks", subject, 0, bounds, 1, &none, Prunings::ALL);
    let mut source = source.unwrap();
    let mut found = Vec::new();
    while let Some(test) = source.next(&mut Locks) {
        if test.prefix.is_empty() {
            found.push(test.threads);
        }
    }
    found
}

fn call(operation: u16, choices: &[u8]) -> TestCall {
    TestCall {
        object: 0,
        operation,
        choices: choices.to_vec(),
    }
}

#[test]
fn a_closure_that_takes_a_lock_the_other_way_round_comes_first() {
    let tests = tests(&TABLE);
    assert_eq!(tests[0], [vec![call(3, &[1])], vec![call(1, &[])]]);
}

#[test]
fn a_closure_that_hangs_alone_is_in_no_test_and_neither_is_a_call_that_it_cannot_meet() {
    let tests = tests(&TABLE);
    let all = || tests.iter().flatten().flatten();
    assert!(all().all(|it| it.choices != [2]));
    assert!(tests.iter().flatten().all(|lane| lane[0].operation != 2));
}

#[test]
fn a_call_that_panics_comes_beside_the_plain_one_first() {
    let tests = tests(&TABLE);
    let panics = |lanes: &&Vec<Vec<TestCall>>| lanes[0][0].operation == 4;
    let with_panics: Vec<_> = tests.iter().filter(panics).collect();
    assert_eq!(with_panics[0], &[vec![call(4, &[])], vec![call(0, &[])]]);
    let longer = vec![vec![call(4, &[]), call(0, &[])], vec![call(1, &[])]];
    assert!(with_panics.contains(&&longer), "{with_panics:?}");
}

#[test]
fn a_type_without_closures_has_no_such_tests() {
    static PLAIN: Subject = Subject {
        operations: &[operation("update", &[]), operation("flush", &[])],
        ..TABLE
    };
    assert!(tests(&PLAIN).is_empty());
}
