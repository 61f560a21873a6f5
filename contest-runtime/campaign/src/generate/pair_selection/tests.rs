use std::collections::BTreeSet;

use super::*;
use crate::generate::fixtures::{KEY, OTHER, constructor, observer, operation};

static SUBJECT: Subject = Subject {
    name: "Map",
    path: "Map",
    constructors: &[constructor("Map::new()")],
    operations: &[
        observer("get", KEY),
        operation("insert", KEY),
        operation("merge", OTHER),
        observer("len", &[]),
    ],
    state: None,
};

fn stream(seed: u64, threads: usize) -> TestStream {
    TestStream::new(
        &SUBJECT,
        0,
        TestSize { threads, calls: 3 },
        seed,
        &DependencyTable::default(),
    )
}

#[test]
fn every_pair_comes_first_with_first_choices_and_an_empty_prefix() {
    let first: Vec<ConcurrentTest> = stream(1, 2).take(10).collect();
    let pairs: BTreeSet<(u16, u16)> = first
        .iter()
        .map(|test| {
            assert!(test.prefix.is_empty() && test.threads.iter().all(|lane| lane.len() == 1));
            let [left, right] = [0, 1].map(|lane: usize| test.threads[lane][0].operation);
            (left.min(right), left.max(right))
        })
        .collect();
    assert_eq!(pairs.len(), 10);
    // The pairs that only observe are the last.
    assert!(first[..7].iter().all(|test| {
        test.threads
            .iter()
            .any(|lane| [1, 2].contains(&lane[0].operation))
    }));
}

#[test]
fn operations_on_two_objects_meet_them_in_opposite_orders() {
    let test = stream(1, 2)
        .find(|test| test.threads.iter().all(|lane| lane[0].operation == 2))
        .unwrap();
    assert_eq!(test.objects.len(), 2);
    let sides: Vec<(u8, u8)> = test
        .threads
        .iter()
        .map(|lane| (lane[0].object, lane[0].choices[0]))
        .collect();
    assert_eq!(sides, [(0, 1), (1, 0)]);
}

#[test]
fn one_seed_gives_one_stream_without_duplicates_and_within_the_size() {
    let tests: Vec<ConcurrentTest> = stream(7, 3).take(400).collect();
    assert_eq!(tests, stream(7, 3).take(400).collect::<Vec<_>>());
    assert_ne!(tests, stream(8, 3).take(400).collect::<Vec<_>>());
    assert_eq!(
        tests
            .iter()
            .map(|test| identity(&RandomCalls::new(&SUBJECT), test))
            .collect::<BTreeSet<_>>()
            .len(),
        tests.len()
    );
    assert!(tests.iter().any(|test| test.threads.len() == 3));
    assert!(
        tests
            .iter()
            .any(|test| test.threads.len() == 2 && test.threads[0].len() == 3)
    );
    for test in &tests {
        assert!(test.threads.len() <= 3 && test.threads.iter().all(|lane| lane.len() <= 3));
        for call in test.prefix.iter().chain(test.threads.iter().flatten()) {
            assert!(usize::from(call.object) < test.objects.len());
            for (choice, argument) in call
                .choices
                .iter()
                .zip(SUBJECT.operations[usize::from(call.operation)].arguments)
            {
                let bound = if argument.object {
                    test.objects.len()
                } else {
                    argument.choices.len()
                };
                assert!(usize::from(*choice) < bound);
            }
        }
    }
}

#[test]
fn two_threads_are_never_exceeded_and_a_tiny_subject_runs_out() {
    static TINY: Subject = Subject {
        name: "Tiny",
        path: "Tiny",
        constructors: &[constructor("Tiny")],
        operations: &[operation("go", &[])],
        state: None,
    };
    let tests: Vec<ConcurrentTest> = TestStream::new(
        &TINY,
        0,
        TestSize {
            threads: 2,
            calls: 2,
        },
        1,
        &DependencyTable::default(),
    )
    .collect();
    assert!(!tests.is_empty() && tests.len() < 100);
    assert!(tests.iter().all(|test| test.threads.len() == 2));
}
