//! The published generator on random machines: a call is an input, its trace the output. What it should make is
//! computed here once more, from the machine.

use std::collections::{BTreeSet, HashSet};

use super::*;
use crate::generate::fixtures::{KEY, OTHER, constructor, exclusive, operation};
use crate::generate::generators::TestSource;
use contest_data::dependencies::Dependencies;
use contest_data::rng::Rng;
use contest_data::settings::TestSize;
use contest_data::subject::{Constructor, Subject};

static BOX: Subject = Subject {
    name: "Box",
    path: "Box",
    constructors: &[
        constructor("Box::new()"),
        Constructor {
            arguments: KEY,
            ..constructor("Box::with(_)")
        },
    ],
    operations: &[
        operation("put", KEY),
        operation("take", &[]),
        operation("swap", OTHER),
        exclusive("reset", &[]),
    ],
    state: None,
};

/// By state, operation and value: the trace, the next state. The object decides on the first state.
struct Machine {
    table: Vec<[[(u32, u64); 3]; 3]>,
    sequences: u64,
}

impl Machine {
    fn random(rng: &mut Rng) -> Self {
        let states = 2 + rng.below(3);
        let mut entry = || (rng.below(3), u64::from(rng.below(states)));
        let mut row = || [(); 3].map(|()| [(); 3].map(|()| entry()));
        Self {
            table: (0..states).map(|_| row()).collect(),
            sequences: 0,
        }
    }

    /// Operation and trace of each call.
    fn play(&self, object: &TestObject, calls: &[TestCall]) -> (Vec<(u16, u32)>, u64) {
        let value = |choices: &[u8]| choices.first().copied().unwrap_or(0);
        let first = u64::from(object.constructor) + u64::from(value(&object.choices));
        let mut state = first % self.table.len() as u64;
        let played = calls.iter().map(|call| {
            let row = self.table[state as usize][usize::from(call.operation)];
            let (trace, next) = row[usize::from(value(&call.choices))];
            state = next;
            (call.operation, trace)
        });
        (played.collect(), state)
    }
}

impl RunCalls for Machine {
    fn run_calls(&mut self, object: &TestObject, calls: &[TestCall]) -> SequenceRun {
        self.sequences += 1;
        let (played, state) = self.play(object, calls);
        SequenceRun {
            trace: played.last().unwrap().1,
            state: Some(state),
            failed: false,
            ..SequenceRun::FAILED
        }
    }
}

fn source(seed: u64) -> TestSource {
    TestSource::new(
        "autocontest",
        &BOX,
        0,
        TestSize::USUAL.into(),
        seed,
        &Dependencies::default(),
        Prunings::ALL,
    )
    .unwrap()
}

#[test]
fn each_iteration_puts_a_sequence_that_covers_something_new_beside_all_sequences_so_far() {
    let mut rng = Rng::new(3);
    let mut iterations = 0;
    for seed in 0..20 {
        let mut machine = Machine::random(&mut rng);
        let mut source = source(seed);
        let mut tests = Vec::new();
        while let Some(test) = source.next(&mut machine) {
            tests.push(test);
            assert!(tests.len() < 500, "the machine is finite");
        }
        let objects: BTreeSet<Vec<u8>> = tests
            .iter()
            .map(|test| {
                [
                    &[test.objects[0].constructor as u8],
                    &test.objects[0].choices[..],
                ]
                .concat()
            })
            .collect();
        assert_eq!(objects.len(), 4, "both constructors, with every value");
        for object in objects {
            let is_of = |test: &&ConcurrentTest| {
                let made = &test.objects[0];
                made.constructor == u16::from(object[0]) && made.choices == object[1..]
            };
            let made: Vec<&ConcurrentTest> = tests.iter().filter(is_of).collect();
            iterations += check(&machine, &made);
        }
    }
    assert!(iterations > 80, "{iterations}");
}

/// Takes the tests of one object apart, and puts together what they should be; the number of iterations.
fn check(machine: &Machine, made: &[&ConcurrentTest]) -> usize {
    let mut sequences: Vec<&[TestCall]> = Vec::new();
    let mut covered: BTreeSet<(u16, u32)> = BTreeSet::new();
    let mut at = 0;
    while at < made.len() {
        let newest = &made[at].threads[0][..];
        let object = &made[at].objects[0];
        sequences.push(newest);
        let traces = machine.play(object, newest).0;
        let before = covered.len();
        covered.extend(&traces);
        assert!(covered.len() > before, "it covers nothing new");
        let mut expected: HashSet<(&[TestCall], &[TestCall])> = HashSet::new();
        for other in &sequences {
            expected.insert((newest, other));
        }
        let here: Vec<(&[TestCall], &[TestCall])> = made[at..]
            .iter()
            .take(sequences.len())
            .map(|test| (&test.threads[0][..], &test.threads[1][..]))
            .collect();
        assert_eq!(here[0], (newest, newest));
        assert_eq!(here.iter().copied().collect::<HashSet<_>>(), expected);
        assert!(made[at].prefix.is_empty() && made[at].threads.len() == 2);
        at += sequences.len();
    }
    sequences.len()
}

/// What a machine can show at all, by a search that shares nothing with the generator: all states, all calls.
#[test]
fn what_is_left_uncovered_in_the_end_is_what_pruning_may_lose() {
    let mut rng = Rng::new(11);
    let (mut shown, mut reachable) = (0, 0);
    for seed in 0..20 {
        let mut machine = Machine::random(&mut rng);
        let mut source = source(seed);
        let mut covered: BTreeSet<(u16, u32)> = BTreeSet::new();
        while let Some(test) = source.next(&mut machine) {
            if test.objects[0].constructor == 0 {
                covered.extend(machine.play(&test.objects[0], &test.threads[0]).0);
            }
        }
        let mut all: BTreeSet<(u16, u32)> = BTreeSet::new();
        let (mut states, mut next) = (BTreeSet::from([0]), vec![0]);
        while let Some(state) = next.pop() {
            for operation in 0..3_u16 {
                for value in 0..if operation == 0 { 3 } else { 1 } {
                    let row = machine.table[state as usize][usize::from(operation)];
                    let (trace, after) = row[value];
                    all.insert((operation, trace));
                    if states.insert(after) {
                        next.push(after);
                    }
                }
            }
        }
        assert!(covered.is_subset(&all));
        (shown, reachable) = (shown + covered.len(), reachable + all.len());
    }
    assert!(shown * 100 >= reachable * 95, "{shown} of {reachable}");
}

#[test]
fn combinations_are_all_and_each_once() {
    let mut rng = Rng::new(5);
    for _ in 0..100 {
        let lists = rng.below(4) as usize;
        let values: Vec<Vec<u8>> = (0..lists)
            .map(|_| (0..1 + rng.below(3) as u8).collect())
            .collect();
        let mut expected: Vec<Vec<u8>> = vec![Vec::new()];
        for of_one in &values {
            let longer = expected.iter().flat_map(|before| {
                of_one.iter().map(|value| {
                    let mut longer = before.clone();
                    longer.push(*value);
                    longer
                })
            });
            expected = longer.collect();
        }
        assert_eq!(combinations(&values).collect::<Vec<_>>(), expected);
    }
}
