//! Which calls look at an object.

use super::*;
use crate::generate::fixtures::{KEY, constructor, observer, operation};
use contest_data::dependencies::{Dependencies, PairDependency};
use contest_data::subject::{Constructor, Operation};
use contest_data::test::TestObject;

const PUT: u16 = 0;
const GET: u16 = 1;

static MAP: Subject = Subject {
    name: "Map",
    path: "Map",
    constructors: &[constructor("Map::new()")],
    operations: &[
        operation("put", KEY),
        observer("get", KEY),
        observer("len", &[]),
        observer("name", &[]),
    ],
    state: None,
};

fn call(operation: u16, choices: &[u8]) -> TestCall {
    TestCall {
        object: 0,
        operation,
        choices: choices.to_vec(),
    }
}

/// One thread puts under the second key, after the third one was used.
fn test() -> ConcurrentTest {
    ConcurrentTest {
        subject: 0,
        objects: vec![TestObject {
            constructor: 0,
            choices: Vec::new(),
        }],
        prefix: vec![call(PUT, &[2])],
        threads: vec![vec![call(PUT, &[1])]],
    }
}

fn looks(observers: &Observers) -> Vec<(u16, Vec<u8>)> {
    let test = observers.runnable(test());
    let calls = test.observers.into_iter();
    calls.map(|call| (call.operation, call.choices)).collect()
}

#[test]
fn what_was_put_under_a_key_is_looked_for_under_that_key() {
    let observers = Observers::new(&MAP, DependencyTable::default());
    let looks = looks(&observers);
    let gets: Vec<&[u8]> = looks
        .iter()
        .filter(|(operation, _)| *operation == GET)
        .map(|(_, choices)| &choices[..])
        .collect();
    assert_eq!(gets, [[1], [2], [0]]);
    assert_eq!(looks.len(), 5);
}

#[test]
fn what_is_proved_to_notice_nothing_is_not_called() {
    let unrelated = PairDependency {
        left: PUT,
        right: 3,
        conflict: false,
        parallel: true,
        deadlock: false,
        exact: true,
        rank: 0,
    };
    let dependencies = Dependencies {
        pairs: vec![unrelated],
        ..Dependencies::default()
    };
    let observers = Observers::new(&MAP, DependencyTable::new(&dependencies));
    assert!(
        looks(&observers)
            .iter()
            .all(|(operation, _)| *operation != 3)
    );
    assert_eq!(looks(&observers).len(), 4);
}

#[test]
fn one_argument_that_fails_leaves_the_others_and_the_first_one_leaves_none() {
    let mut observers = Observers::new(&MAP, DependencyTable::default());
    let failing = |choices: &[u8]| Trimmed {
        observers: vec![(call(GET, choices), "panics one call after another")],
        drop: false,
    };
    assert_eq!(observers.leave_out(&failing(&[1])).len(), 1);
    assert_eq!(looks(&observers).len(), 4);
    assert_eq!(observers.leave_out(&failing(&[1])).len(), 0);
    assert_eq!(observers.leave_out(&failing(&[0])).len(), 1);
    assert_eq!(looks(&observers).len(), 2);
}

#[test]
fn an_object_ends_with_the_call_that_its_last_choice_names() {
    const WHOLE: Receiver = Receiver::Whole;
    static QUEUE: Subject = Subject {
        name: "Queue",
        path: "Queue",
        constructors: &[Constructor {
            arguments: &[
                KEY[0],
                Argument {
                    choices: &["", " /* in the end: stop */"],
                    object: false,
                    of_future: false,
                    of_texts: false,
                },
            ],
            ..constructor("Queue::new({0}){1}")
        }],
        operations: &[
            Operation {
                receiver: WHOLE,
                ..operation("into_inner", &[])
            },
            operation("put", KEY),
            observer("len", &[]),
            Operation {
                receiver: WHOLE,
                ..operation("stop", KEY)
            },
        ],
        state: None,
    };
    let observers = Observers::new(&QUEUE, DependencyTable::default());
    let object = |choices: &[u8]| TestObject {
        constructor: 0,
        choices: choices.to_vec(),
    };
    let ends = |objects: &[TestObject]| -> Vec<(u16, u8)> {
        let test = ConcurrentTest {
            objects: objects.to_vec(),
            threads: vec![vec![call(1, &[0])]],
            ..ConcurrentTest::default()
        };
        let calls = observers.runnable(test).observers.into_iter();
        calls.map(|it| (it.operation, it.object)).collect()
    };
    let (into_inner, len, stop) = (0, 2, 3);
    assert_eq!(
        ends(&[object(&[1, 0]), object(&[1, 1])]),
        [(len, 0), (len, 1), (into_inner, 0), (stop, 1)]
    );
    // Another constructor was chosen meanwhile, and nothing of it.
    assert_eq!(ends(&[object(&[])]), [(len, 0), (into_inner, 0)]);
    // No other call takes the object away.
    let calls = crate::generate::RandomCalls::new(&QUEUE);
    assert!(![into_inner, stop].iter().any(|it| {
        calls.shared().contains(it) || calls.prefix().contains(it) || calls.changers().contains(it)
    }));
}
