//! The ladder against brute force: all tests, one for each class of those that differ by symmetry only.

use std::collections::BTreeSet;

use super::*;
use crate::generate::fixtures::{KEY, OTHER, constructor, end, exclusive, observer, operation};
use contest_data::dependencies::{Dependencies, PairDependency};
use contest_data::rng::Rng;
use contest_data::settings::TestSize;
use contest_data::subject::{Argument, Constructor, Needs, Operation};
use contest_data::test::{TestCall, TestObject};

const TWO: &[Argument] = &[Argument {
    choices: &["1", "2"],
    object: false,
    of_future: false,
    of_texts: false,
}];
const OTHER_AND_TWO: &[Argument] = &[OTHER[0], TWO[0]];

/// A subject of some operations and constructors, drawn from this seed.
fn random_subject(seed: u64) -> &'static Subject {
    let mut rng = Rng::new(seed);
    let kinds: [Operation; 6] = [
        operation("bump", &[]),
        operation("put", TWO),
        operation("push", KEY),
        operation("swap", OTHER),
        operation("move_to", OTHER_AND_TWO),
        observer("get", TWO),
    ];
    let mut operations = vec![kinds[rng.below(3) as usize]];
    for _ in 0..rng.below(2) {
        operations.push(kinds[rng.below(6) as usize]);
    }
    if rng.one_in(2) {
        operations.push(exclusive("reset", if rng.one_in(2) { &[] } else { TWO }));
    }
    let mut constructors: Vec<Constructor> = vec![constructor("new()")];
    if rng.one_in(2) {
        constructors.push(Constructor {
            arguments: TWO,
            ..constructor("with({0})")
        });
    }
    leak(operations, constructors)
}

fn leak(operations: Vec<Operation>, constructors: Vec<Constructor>) -> &'static Subject {
    Box::leak(Box::new(Subject {
        name: "Subject",
        path: "Subject",
        constructors: constructors.leak(),
        operations: operations.leak(),
        state: None,
    }))
}

/// Every test of the rung with every symmetric form of it, made without any thought.
fn naive(subject: &'static Subject, rung: &Rung) -> BTreeSet<String> {
    let calls = RandomCalls::new(subject);
    let every = |operation: u16, objects: u8| -> Vec<TestCall> {
        let arguments = subject.operations[usize::from(operation)].arguments;
        let mut all = Vec::new();
        for object in 0..objects {
            let mut lists: Vec<Vec<u8>> = vec![Vec::new()];
            for argument in arguments {
                let many = if argument.object {
                    objects
                } else {
                    argument.choices.len() as u8
                };
                lists = lists
                    .into_iter()
                    .flat_map(|list| {
                        (0..many).map(move |choice| [list.clone(), vec![choice]].concat())
                    })
                    .collect();
            }
            all.extend(lists.into_iter().map(|choices| TestCall {
                object,
                operation,
                choices,
            }));
        }
        all
    };
    let mut found = BTreeSet::new();
    for objects in [1, 2] {
        let of = |fits: &dyn Fn(&Operation) -> bool| -> Vec<TestCall> {
            (0_u16..)
                .zip(subject.operations)
                .filter(|(_, operation)| fits(operation))
                .flat_map(|(number, _)| every(number, objects))
                .collect()
        };
        let in_lane = of(&Operation::runs_beside_others);
        let before = of(&|_| true);
        let mut makes = Vec::new();
        for (number, made) in (0_u16..).zip(subject.constructors) {
            let most = made
                .arguments
                .first()
                .map_or(1, |it| it.choices.len() as u8);
            for choice in 0..most {
                makes.push(TestObject {
                    constructor: number,
                    choices: vec![choice; made.arguments.len()],
                });
            }
        }
        let slots =
            usize::from(rung.prefix) + rung.lanes.iter().map(|&it| usize::from(it)).sum::<usize>();
        let mut lists: Vec<Vec<TestCall>> = vec![Vec::new()];
        for slot in 0..slots {
            let from = if slot < usize::from(rung.prefix) {
                &before
            } else {
                &in_lane
            };
            lists = lists
                .iter()
                .flat_map(|list| {
                    from.iter()
                        .map(move |call| [list.clone(), vec![call.clone()]].concat())
                })
                .collect();
        }
        for made in &makes {
            for list in &lists {
                let (prefix, mut rest) = list.split_at(usize::from(rung.prefix));
                let mut threads = Vec::new();
                for &length in &rung.lanes {
                    let (lane, others) = rest.split_at(usize::from(length));
                    threads.push(lane.to_vec());
                    rest = others;
                }
                let test = ConcurrentTest {
                    subject: 0,
                    objects: vec![made.clone(); usize::from(objects)],
                    prefix: prefix.to_vec(),
                    threads,
                };
                let ends = crate::generate::ends::respects_ends(subject, &test);
                if ends && rung_of(&calls, &test).as_ref() == Some(rung) {
                    found.insert(canonical(subject, &test));
                }
            }
        }
    }
    found
}

/// The smallest text of all forms of a test.
fn canonical(subject: &Subject, test: &ConcurrentTest) -> String {
    let exchanged = |call: &TestCall| {
        let arguments = subject.operations[usize::from(call.operation)].arguments;
        let choices = call.choices.iter().zip(arguments);
        TestCall {
            object: 1 - call.object,
            choices: choices
                .map(|(&choice, it)| if it.object { 1 - choice } else { choice })
                .collect(),
            ..call.clone()
        }
    };
    let mut forms = Vec::new();
    for swap in [false, true] {
        if swap && test.objects.len() < 2 {
            continue;
        }
        let mut form = test.clone();
        if swap {
            let all = form
                .prefix
                .iter_mut()
                .chain(form.threads.iter_mut().flatten());
            all.for_each(|call| *call = exchanged(call));
        }
        form.threads
            .sort_by_key(|lane| (lane.len(), format!("{lane:?}")));
        forms.push(format!("{form:?}"));
    }
    forms.sort();
    forms.swap_remove(0)
}

fn enumerated(subject: &'static Subject, rung: &Rung, seed: u64) -> Vec<ConcurrentTest> {
    let calls = RandomCalls::new(subject);
    let order = PairOrder::new(&calls, &DependencyTable::default());
    let pairs: Vec<(u16, u16)> = order.all().collect();
    let mut tests = RungTests::new(&calls, rung, &pairs, seed);
    let mut found = Vec::new();
    loop {
        match tests.next(&calls, 100) {
            Step::Test(test) => found.push(test),
            Step::Pause => {}
            Step::End => return found,
        }
    }
}

fn rung(lanes: &[u8], prefix: u8, breadth: u8, two_objects: bool) -> Rung {
    Rung {
        lanes: lanes.to_vec(),
        prefix,
        breadth: Breadth(breadth),
        two_objects,
        disturbed: 0,
    }
}

#[test]
fn every_test_of_a_rung_is_made_once_up_to_symmetry_and_their_number_is_known_before() {
    let shapes: [(&[u8], u8); 6] = [
        (&[1, 1], 0),
        (&[1, 1], 1),
        (&[1, 2], 0),
        (&[2, 2], 0),
        (&[1, 1, 1], 0),
        (&[1, 1, 2], 0),
    ];
    let mut compared = 0;
    for seed in 0..24 {
        let subject = random_subject(seed);
        let calls = RandomCalls::new(subject);
        for (lanes, prefix) in shapes {
            for (breadth, two_objects) in [
                (0, false),
                (1, false),
                (2, false),
                (3, false),
                (0, true),
                (1, true),
            ] {
                let rung = rung(lanes, prefix, breadth, two_objects);
                let expected_count = count(&calls, &rung);
                // What brute force can do.
                if call_count(&calls, Breadth(9))
                    .pow(prefix as u32 + lanes.iter().map(|&it| u32::from(it)).sum::<u32>())
                    > 3_000
                {
                    continue;
                }
                let expected = naive(subject, &rung);
                let made = enumerated(subject, &rung, seed);
                let texts: BTreeSet<String> =
                    made.iter().map(|test| canonical(subject, test)).collect();
                assert_eq!(texts.len(), made.len(), "twice: {rung} of {subject:?}");
                assert_eq!(texts, expected, "{rung} of {subject:?}");
                assert_eq!(
                    expected_count,
                    expected.len() as u128,
                    "{rung} of {subject:?}"
                );
                compared += usize::from(!made.is_empty());
            }
        }
    }
    assert!(compared > 30, "{compared}");
}

#[test]
fn tests_that_safe_code_cannot_have_are_none_and_the_number_is_known_in_the_end() {
    let subject = leak(
        vec![
            end("send", 0, Needs::Shared),
            end("drop", 0, Needs::Whole),
            end("recv", 1, Needs::Alone),
        ],
        vec![constructor("channel()")],
    );
    for rung in [
        rung(&[1, 1], 0, 0, false),
        rung(&[1, 2], 1, 0, false),
        rung(&[1, 1], 0, 0, true),
    ] {
        let made = enumerated(subject, &rung, 1);
        let texts: BTreeSet<String> = made.iter().map(|test| canonical(subject, test)).collect();
        assert_eq!(texts, naive(subject, &rung), "{rung}");
        let bound = count(&RandomCalls::new(subject), &rung);
        assert!(made.len() as u128 <= bound, "{rung}: {bound}");
    }
    let bounds = TestSize {
        threads: 2,
        calls: 1,
    }
    .into();
    let mut ladder = Ladder::new(subject, 0, bounds, 1, &DependencyTable::default());
    assert!(!ladder.steps()[0].exact);
    while !ladder.is_done() {
        ladder.next();
    }
    let first = &ladder.steps()[0];
    assert_eq!(
        (first.exact, first.tests),
        (true, 3),
        "send||send, send||recv, drop||recv: {first:?}"
    );
}

fn queue() -> &'static Subject {
    leak(
        vec![
            operation("len", &[]),
            operation("pop", &[]),
            operation("push", KEY),
            observer("is_empty", &[]),
        ],
        vec![constructor("Queue::new()")],
    )
}

/// The ladder's first tests, with the rungs that they belong to.
fn climb(ladder: &mut Ladder, tests: usize) -> Vec<(usize, ConcurrentTest)> {
    let mut found = Vec::new();
    while found.len() < tests && !ladder.is_done() {
        if let Some(test) = ladder.next() {
            found.push((ladder.rung_of(&test).unwrap(), test));
        }
    }
    found
}

#[test]
fn small_shapes_end_soon_and_three_threads_are_not_waited_for() {
    let mut ladder = Ladder::new(
        queue(),
        0,
        SizeBounds::default(),
        1,
        &DependencyTable::default(),
    );
    let found = climb(&mut ladder, 1_000);
    assert_eq!(found[0].0, 0);
    assert_eq!(ladder.steps()[0].rung.to_string(), "2 threads, 1 call each");
    assert!(ladder.steps()[0].enumerated);
    let first_of = |lanes: &[usize]| {
        found
            .iter()
            .position(|(_, test)| test.threads.iter().map(Vec::len).collect::<Vec<_>>() == lanes)
    };
    let (one_two, three, three_with_two) = (
        first_of(&[1, 2]),
        first_of(&[1, 1, 1]),
        first_of(&[1, 1, 2]),
    );
    assert!(
        one_two < three && three < three_with_two,
        "{one_two:?} {three:?} {three_with_two:?}"
    );
    assert!(
        three_with_two.is_some_and(|place| place < 200),
        "{three_with_two:?}"
    );
}

#[test]
fn bounds_are_kept_and_the_ladder_ends() {
    let bounds = TestSize {
        threads: 2,
        calls: 1,
    };
    let mut ladder = Ladder::new(queue(), 3, bounds.into(), 1, &DependencyTable::default());
    let found = climb(&mut ladder, 100_000);
    assert!(ladder.is_done());
    assert!(
        found
            .iter()
            .all(|(_, test)| test.subject == 3 && test.threads.len() == 2)
    );
    assert!(
        found
            .iter()
            .all(|(_, test)| test.threads.iter().all(|lane| lane.len() == 1))
    );
    let of_steps: u64 = ladder.steps().iter().map(|step| step.tests).sum();
    assert_eq!(found.len() as u64, of_steps);
}

#[test]
fn what_is_proved_redundant_is_counted_and_not_made() {
    let unrelated = |left, right| PairDependency {
        left,
        right,
        conflict: false,
        parallel: true,
        deadlock: false,
        exact: true,
        rank: 0,
    };
    let dependencies = Dependencies {
        pairs: vec![unrelated(0, 0), unrelated(0, 3), unrelated(3, 3)],
        ..Dependencies::default()
    };
    let bounds = TestSize {
        threads: 2,
        calls: 2,
    };
    let table = DependencyTable::new(&dependencies);
    let mut ladder = Ladder::new(queue(), 0, bounds.into(), 1, &table);
    let found = climb(&mut ladder, 5_000);
    let plain = |lanes: &[u8]| {
        let rung = rung(lanes, 0, 0, false);
        ladder
            .steps()
            .iter()
            .position(|step| *step.rung == rung)
            .unwrap()
    };
    for (lanes, redundant) in [(&[1, 1], 3), (&[1, 2], 8)] {
        let number = plain(lanes);
        let step = &ladder.steps()[number];
        let made = found.iter().filter(|(rung, _)| *rung == number).count() as u64;
        assert!(step.enumerated);
        assert_eq!(
            (step.redundant, made + step.redundant),
            (redundant, step.tests),
            "{}",
            step.rung
        );
    }
}

#[test]
fn the_order_does_not_depend_on_anything_but_the_seed() {
    let tests = |seed| {
        let mut ladder = Ladder::new(
            queue(),
            0,
            SizeBounds::default(),
            seed,
            &DependencyTable::default(),
        );
        climb(&mut ladder, 300)
    };
    assert_eq!(tests(1), tests(1));
    assert_ne!(tests(1), tests(2));
}

#[test]
fn a_thousand_operations_are_no_trouble() {
    let operations = (0..1_000).map(|_| operation("push", KEY)).collect();
    let subject = leak(operations, vec![constructor("new()")]);
    let mut ladder = Ladder::new(
        subject,
        0,
        SizeBounds::default(),
        1,
        &DependencyTable::default(),
    );
    assert_eq!(climb(&mut ladder, 300).len(), 300);
    assert_eq!(ladder.steps()[0].tests, 500_500);
}
