//! Which tests.

use contest_data::rng::Rng;
use contest_data::subject::{Argument, Subject};
use contest_data::test::{ConcurrentTest, TestCall, TestObject};

/// Each operation beside each, itself included.
pub(super) fn pairs(subject: &Subject) -> Vec<ConcurrentTest> {
    let operations = shared(subject);
    let mut out = Vec::new();
    for (n, &first) in operations.iter().enumerate() {
        for &second in &operations[n..] {
            // Different values, so that it shows whose was taken.
            let threads = vec![
                vec![call(subject, first, |_| 0)],
                vec![call(subject, second, |_| 1)],
            ];
            out.push(test(subject, Vec::new(), threads));
        }
    }
    out
}

/// Tests of a prefix of at most two calls, and two threads of one or two.
pub(super) fn random(subject: &'static Subject, seed: u64) -> impl Iterator<Item = ConcurrentTest> {
    let operations = shared(subject);
    let all: Vec<u16> = (0..subject.operations.len() as u16).collect();
    let mut rng = Rng::new(seed);
    std::iter::from_fn(move || {
        if operations.is_empty() {
            return None;
        }
        // Calls of the two threads, and before them.
        let lengths = [(2, 1, 0), (1, 1, 1), (2, 2, 0), (1, 1, 2), (2, 1, 1)];
        let (one, two, before) = lengths[rng.below(lengths.len() as u32) as usize];
        let mut calls = |from: &[u16], number: usize| -> Vec<TestCall> {
            let mut one = || {
                let operation = from[rng.below(from.len() as u32) as usize];
                call(subject, operation, |_| rng.below(8) as usize)
            };
            (0..number).map(|_| one()).collect()
        };
        let prefix = calls(&all, before);
        let threads = vec![calls(&operations, one), calls(&operations, two)];
        Some(test(subject, prefix, threads))
    })
}

/// Operations that several threads may call: what is to hold when all have ended need not hold before.
fn shared(subject: &Subject) -> Vec<u16> {
    (0_u16..)
        .zip(subject.operations)
        .filter(|(_, operation)| operation.runs_beside_others())
        .map(|(number, _)| number)
        .collect()
}

fn call(subject: &Subject, operation: u16, choose: impl FnMut(usize) -> usize) -> TestCall {
    let arguments = subject.operations[usize::from(operation)].arguments;
    TestCall {
        object: 0,
        operation,
        choices: choices(arguments, choose),
    }
}

fn choices(arguments: &[Argument], mut choose: impl FnMut(usize) -> usize) -> Vec<u8> {
    let one = |(index, argument): (usize, &Argument)| {
        // There is one object only.
        if argument.object {
            return 0;
        }
        (choose(index) % argument.choices.len().max(1)) as u8
    };
    arguments.iter().enumerate().map(one).collect()
}

fn test(subject: &Subject, prefix: Vec<TestCall>, threads: Vec<Vec<TestCall>>) -> ConcurrentTest {
    let arguments = subject
        .constructors
        .first()
        .map_or(&[][..], |constructor| constructor.arguments);
    ConcurrentTest {
        subject: 0,
        objects: vec![TestObject {
            constructor: 0,
            choices: choices(arguments, |_| 0),
        }],
        prefix,
        threads,
    }
}
