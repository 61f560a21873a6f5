//! What the generators make of a subject whose sequences are played by a small machine.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::generate::call_tree::SequenceAccess;
use crate::generate::fixtures::{KEY, OTHER, constructor, end, exclusive, operation};
use crate::generate::identity::identity;
use contest_data::dependencies::PairDependency;
use contest_data::names::GENERATORS;
use contest_data::subject::{Needs, Receiver};

static GATE: Subject = Subject {
    name: "Gate",
    path: "Gate",
    constructors: &[constructor("Gate::new()")],
    operations: &[
        operation("push", KEY),
        operation("open", &[]),
        operation("pass", &[]),
        operation("swap_with", OTHER),
        exclusive("reset", &[]),
    ],
    state: None,
};

/// `pass` does something else once `push` and then `open` were called.
struct Gate {
    runs: u64,
}

impl RunCalls for Gate {
    fn run_calls(&mut self, _: &TestObject, calls: &[TestCall]) -> SequenceRun {
        self.runs += 1;
        let (mut state, mut trace) = (0, 0);
        for call in calls {
            trace = u32::from(call.operation);
            match (call.operation, state) {
                (0, 0) => state = 1,
                (1, 1) => state = 2,
                (2, 2) => trace = 100,
                _ => {}
            }
        }
        SequenceRun {
            trace,
            state: Some(state),
            failed: false,
            waits: false,
            pends: false,
            gave_up: false,
            lock_orders: Vec::new(),
            acts: true,
            // Every call reads and writes one variable, at its own place.
            accesses: (0..)
                .zip(calls)
                .map(|(at, call)| SequenceAccess {
                    call: at,
                    variable: u32::from(call.operation != 1),
                    site: u64::from(call.operation),
                    reads: true,
                    writes: call.operation == 0,
                    visible: true,
                    section: 1,
                })
                .collect(),
        }
    }
}

fn source(generator: &str, seed: u64, dependencies: &Dependencies) -> TestSource {
    let size = TestSize::USUAL.into();
    TestSource::new(generator, &GATE, 0, size, seed, dependencies, Prunings::ALL).unwrap()
}

fn tests(generator: &str, seed: u64, count: usize) -> Vec<ConcurrentTest> {
    let mut source = source(generator, seed, &Dependencies::default());
    let mut gate = Gate { runs: 0 };
    (0..count).map_while(|_| source.next(&mut gate)).collect()
}

fn pair(test: &ConcurrentTest) -> (u16, u16) {
    let (left, right) = (test.threads[0][0].operation, test.threads[1][0].operation);
    (left.min(right), left.max(right))
}

/// One call in each thread.
fn alone(test: &ConcurrentTest) -> bool {
    test.threads.iter().all(|lane| lane.len() == 1)
}

#[test]
fn every_generator_is_endless_repeats_nothing_and_depends_on_the_seed_only() {
    // Nothing waits in a gate, nothing is held, and there are few traces; see the tests of these.
    let of_their_own = [
        "callbacks",
        "holders",
        "injection",
        "waiters",
        "autocontest",
    ];
    let others = |name: &str| !of_their_own.contains(&name);
    for (name, _) in GENERATORS.into_iter().filter(|(name, _)| others(name)) {
        let some = tests(name, 7, 200);
        assert_eq!(some.len(), 200, "{name}");
        assert_eq!(some, tests(name, 7, 200), "{name}");
        assert_ne!(some, tests(name, 8, 200), "{name}");
        let calls = RandomCalls::new(&GATE);
        let different: BTreeSet<(u64, u64)> =
            some.iter().map(|test| identity(&calls, test)).collect();
        assert_eq!(different.len(), 200, "{name}");
        for test in &some {
            assert!(test.threads.len() == 2 && !test.threads.contains(&Vec::new()));
            let shared = |call: &TestCall| {
                GATE.operations[usize::from(call.operation)].receiver == Receiver::Shared
            };
            assert!(test.threads.iter().flatten().all(shared), "{name}");
        }
    }
    assert_eq!(
        TestSource::new(
            "luck",
            &GATE,
            0,
            TestSize::USUAL.into(),
            0,
            &Dependencies::default(),
            Prunings::ALL
        )
        .unwrap_err(),
        "luck"
    );
}

#[test]
fn mixed_meets_a_call_in_the_state_that_a_sequence_leads_to() {
    let some = tests("mixed", 1, 400);
    let met = some.iter().position(|test| {
        let operations: Vec<u16> = test.prefix.iter().map(|call| call.operation).collect();
        pair(test) == (2, 2) && operations.starts_with(&[0]) && operations.contains(&1)
    });
    assert!(met.is_some_and(|at| at < 120), "{met:?}");
}

#[test]
fn covcon_tests_all_pairs_equally_often() {
    let some = tests("covcon", 3, 100);
    let some: Vec<ConcurrentTest> = some.into_iter().filter(alone).collect();
    let mut counts: BTreeMap<(u16, u16), u32> = BTreeMap::new();
    for test in &some {
        *counts.entry(pair(test)).or_default() += 1;
    }
    // Ten pairs; what was made before is made anew and counts.
    assert_eq!(counts.len(), 10);
    let (most, fewest) = (counts.values().max(), counts.values().min());
    assert!(most.unwrap() - fewest.unwrap() <= 8, "{counts:?}");
}

fn dependency(left: u16, right: u16) -> PairDependency {
    PairDependency {
        left,
        right,
        conflict: true,
        parallel: true,
        deadlock: false,
        exact: true,
        rank: 1,
    }
}

#[test]
fn depcon_leaves_out_pairs_that_are_proved_unrelated_and_counts_them() {
    let unrelated = PairDependency {
        conflict: false,
        ..dependency(1, 2)
    };
    let deadlock = PairDependency {
        deadlock: true,
        ..dependency(3, 3)
    };
    let guess = PairDependency {
        exact: false,
        conflict: false,
        ..dependency(0, 1)
    };
    let dependencies = Dependencies {
        subject: 0,
        pairs: vec![unrelated, deadlock, guess],
        circles: Vec::new(),
    };
    let mut depcon = source("depcon", 5, &dependencies);
    let mut gate = Gate { runs: 0 };
    let some: Vec<ConcurrentTest> = (0..200).map_while(|_| depcon.next(&mut gate)).collect();
    let pairs_alone = || some.iter().filter(|test| alone(test)).map(pair);
    assert!(pairs_alone().all(|pair| pair != (1, 2)));
    assert!(pairs_alone().any(|pair| pair == (0, 1)));
    assert_eq!(depcon.pruned(), 1);
    // Every other test is about the deadlock: two objects, each call with the other one.
    let crossed = |test: &&ConcurrentTest| {
        let (one, two) = (&test.threads[0][0], &test.threads[1][0]);
        one.operation == 3 && two.operation == 3 && one.object != two.object
    };
    assert!(some.iter().filter(crossed).count() >= 20);
    // What is done to one object is done to the other one.
    let with_prefix = some
        .iter()
        .filter(crossed)
        .find(|test| test.prefix.len() > 1)
        .unwrap();
    let objects: Vec<u8> = with_prefix.prefix[..2].iter().map(|it| it.object).collect();
    assert_eq!(objects[0], 1 - objects[1]);
}

#[test]
fn promising_pairs_come_first_in_mixed() {
    let dependencies = Dependencies {
        subject: 0,
        pairs: vec![
            PairDependency {
                deadlock: true,
                ..dependency(1, 3)
            },
            dependency(2, 2),
            PairDependency {
                rank: 9,
                ..dependency(1, 1)
            },
            PairDependency {
                conflict: false,
                ..dependency(0, 0)
            },
        ],
        circles: Vec::new(),
    };
    let mut source = source("mixed", 5, &dependencies);
    let mut gate = Gate { runs: 0 };
    assert_eq!((source.pairs().len(), source.pruned()), (10, 1));
    let first: Vec<(u16, u16)> = (0..9)
        .map_while(|_| source.next(&mut gate))
        .map(|test| pair(&test))
        .collect();
    assert_eq!(first[..3], [(1, 3), (1, 1), (2, 2)]);
    assert!(!first.contains(&(0, 0)), "{first:?}");
}

#[test]
fn a_subject_whose_pairs_are_all_proved_unrelated_is_tested_all_the_same() {
    let all = (0..4_u16).flat_map(|left| (left..4).map(move |right| (left, right)));
    let dependencies = Dependencies {
        pairs: all
            .map(|(left, right)| PairDependency {
                conflict: false,
                ..dependency(left, right)
            })
            .collect(),
        ..Dependencies::default()
    };
    for generator in ["mixed", "depcon"] {
        let mut source = source(generator, 5, &dependencies);
        assert_eq!(source.pruned(), 0);
        assert!(source.next(&mut Gate { runs: 0 }).is_some());
    }
}

#[test]
fn a_circle_of_three_locks_is_tested_by_three_threads_or_counted() {
    let dependencies = Dependencies {
        circles: vec![[0, 1, 3]],
        ..Dependencies::default()
    };
    let of = |threads| {
        let size = TestSize { threads, calls: 1 };
        TestSource::new(
            "depcon",
            &GATE,
            0,
            size.into(),
            1,
            &dependencies,
            Prunings::ALL,
        )
        .unwrap()
    };
    let mut three = of(3);
    let circle = (0..20)
        .map_while(|_| three.next(&mut Gate { runs: 0 }))
        .find(|test| test.threads.len() == 3)
        .unwrap();
    let objects: Vec<u8> = circle.threads.iter().map(|lane| lane[0].object).collect();
    assert_eq!((circle.objects.len(), objects), (3, vec![0, 1, 2]));
    assert_eq!(circle.threads[2][0].choices, [0], "lane 2 meets lane 0");
    assert_eq!(three.left_out(), []);
    assert_eq!(of(2).left_out()[0].1, 1);
}

#[test]
fn maptest_aims_at_every_pattern_before_it_aims_at_one_again() {
    let some = tests("maptest", 3, 60);
    // `push` writes what all but `open` access; `open` is alone with its variable and only reads it: it meets no other.
    let of_first_round: BTreeSet<(u16, u16)> = some
        .iter()
        .filter(|test| test.prefix.is_empty() && alone(test))
        .map(pair)
        .collect();
    assert!(of_first_round.contains(&(0, 0)), "{of_first_round:?}");
    assert!(of_first_round.contains(&(0, 2)), "{of_first_round:?}");
    let first: Vec<(u16, u16)> = some[..2].iter().map(pair).collect();
    assert_eq!(
        first,
        [(0, 0), (0, 2)],
        "what meets no other call is no aim"
    );
    assert!(some.iter().any(|test| !test.prefix.is_empty()));
}

#[test]
fn equal_tests_of_several_generators_are_one() {
    let two = |receivers: [u8; 2]| ConcurrentTest {
        objects: vec![RandomCalls::new(&GATE).first_object(); 2],
        threads: receivers
            .map(|object| {
                vec![TestCall {
                    object,
                    operation: 3,
                    choices: vec![1 - object],
                }]
            })
            .to_vec(),
        ..ConcurrentTest::default()
    };
    let calls = RandomCalls::new(&GATE);
    let of = |test: &ConcurrentTest| identity(&calls, test);
    assert_eq!(of(&two([0, 0])), of(&two([1, 1])), "the objects are equal");
    assert_eq!(of(&two([0, 1])), of(&two([1, 0])));
    assert_ne!(of(&two([0, 0])), of(&two([0, 1])));
    let mut unequal = two([0, 0]);
    unequal.objects[0].constructor = 1;
    let mut other = two([1, 1]);
    other.objects[0].constructor = 1;
    assert_ne!(of(&unequal), of(&other));
}

#[test]
fn all_generators_have_their_share_and_the_ladder_comes_to_its_end() {
    let bounds = SizeBounds {
        threads: Some(2),
        calls: Some(1),
    };
    let unrelated = |left, right| PairDependency {
        left,
        right,
        conflict: false,
        parallel: false,
        deadlock: false,
        exact: true,
        rank: 0,
    };
    let dependencies = Dependencies {
        pairs: vec![unrelated(1, 1), unrelated(1, 2), unrelated(2, 2)],
        ..Dependencies::default()
    };
    let mut source =
        TestSource::new("auto", &GATE, 0, bounds, 1, &dependencies, Prunings::ALL).unwrap();
    let mut gate = Gate { runs: 0 };
    let mut by_rung: BTreeMap<Option<usize>, u64> = BTreeMap::new();
    while let Some(test) = source.next(&mut gate) {
        let rung = source.ladder().unwrap().rung_of(&test);
        *by_rung.entry(rung).or_default() += 1;
    }
    let steps = source.ladder().unwrap().steps();
    for (number, step) in steps.iter().enumerate() {
        assert!(step.enumerated);
        let made = by_rung.get(&Some(number)).copied().unwrap_or(0);
        let all = made + step.redundant;
        assert_eq!(all, step.tests, "{}: whoever made them", step.rung);
    }
    assert_eq!(steps[0].redundant, 3);
    assert!(
        by_rung[&None] > 0,
        "longer prefixes of the other generators"
    );
}

/// Each end stays in one thread, so that of all orders of the two calls in large shapes hardly one is a test.
static ENDS: Subject = Subject {
    name: "Ends",
    path: "Ends",
    constructors: &[constructor("Ends::new()")],
    operations: &[
        end("send", 0, Needs::Whole),
        end("receive", 1, Needs::Whole),
    ],
    state: None,
};

#[test]
fn a_look_among_very_many_candidates_that_are_no_tests_gives_others_their_turn() {
    let dependencies = Dependencies::default();
    let size = SizeBounds::default();
    let mut source =
        TestSource::new("ladder", &ENDS, 0, size, 1, &dependencies, Prunings::ALL).unwrap();
    let mut gate = Gate { runs: 0 };
    let mut tests = 0;
    for _ in 0..2_000 {
        match source.look(&mut gate) {
            Look::Test(_) => tests += 1,
            Look::Pause => return assert!(tests > 0),
            Look::End => panic!("there are larger shapes"),
        }
    }
    panic!("it has found {tests} tests and never paused");
}
