//! No caller knows a number before the call that returns it has ended.

use super::model::{Model, Step, empty, operation, returned, test};
use crate::judge::given_out::too_early;
use crate::judge::{Compared, Judge, SerialOutcomes};
use contest_data::subject::{Argument, Contract, GivenOut, Operation, Subject};
use contest_data::test::{CallName, RunnableTest, TestShape};
use contest_data::trace::Outcome;

const OPEN: u16 = 0;
const CLOSE: u16 = 1;

static TICKETS: Subject = Subject {
    name: "Tickets",
    path: "Tickets",
    constructors: &[],
    operations: &[
        Operation {
            name: "open",
            ..operation("{s}.open()")
        },
        Operation {
            arguments: &[Argument {
                choices: &["0", "1"],
                object: false,
                of_future: false,
                of_texts: false,
            }],
            contract: Contract {
                given_out: &[GivenOut {
                    argument: 0,
                    by: &["open"],
                }],
                ..Contract::NONE
            },
            ..operation("{s}.close({0})")
        },
    ],
    state: None,
};

/// What the calls of a test show: thread 1 opens, thread 2 opens and closes 1.
struct Case {
    /// What thread 1 gets, and when its call has ended; it began first of all.
    opened: (&'static str, u32),
    /// When thread 2 closes.
    closes: (u32, u32),
    /// What thread 2 gets before.
    before: &'static str,
    /// What the call before the threads shows, `open()` too.
    prefix: Option<&'static str>,
    /// The object of thread 1.
    object: u8,
}

const EARLY: Case = Case {
    opened: ("Some(1)", 6),
    closes: (4, 5),
    before: "Some(2)",
    prefix: None,
    object: 0,
};

/// `gives`: the object gives out 1, whatever is closed.
fn is_early(case: &Case, gives: bool) -> bool {
    let mut test: RunnableTest = test(&[vec![OPEN], vec![OPEN, CLOSE]]);
    test.subject = &TICKETS;
    test.test.threads[0][0].object = case.object;
    test.test.threads[1][1].choices = vec![1];
    let opened = test.test.threads[1][0].clone();
    test.test
        .prefix
        .extend(case.prefix.is_some().then_some(opened));
    let shape = TestShape::of(&test);
    let mut history = empty(&shape);
    returned(&mut history, 0, 0, case.opened.0, (1, case.opened.1));
    returned(&mut history, 1, 0, case.before, (2, 3));
    returned(&mut history, 1, 1, "false", case.closes);
    if let Some(text) = case.prefix {
        let mut call = history.lanes[1][0].clone();
        call.outcome = Outcome::Returned(Some(text.to_owned()));
        // The object, and this call.
        history.main = vec![call.clone(), call];
    }
    let judge = Judge {
        test: &test,
        shape: &shape,
        outcomes: &SerialOutcomes::default(),
        compared: &Compared::default(),
    };
    let step: Step = if gives {
        |state, _| {
            state.push(0);
            Some(format!("Ticket {{ id: {} }}", state.len()))
        }
    } else {
        |_, _| Some("None".to_owned())
    };
    let early = too_early(&judge, &history, &mut Model(step));
    assert!(early.is_empty() || early == [CallName::Lane(1, 1)]);
    !early.is_empty()
}

#[test]
fn a_number_is_known_once_the_call_that_gives_it_out_has_returned() {
    assert!(is_early(&EARLY, true));
    let ticket = Case {
        opened: ("Ticket { id: 1 }", 6),
        closes: (4, 8),
        ..EARLY
    };
    assert!(is_early(&ticket, true));
    for (text, ended) in [("Some(1)", 4), ("Some(10)", 6), ("None", 6)] {
        let opened = (text, ended);
        assert!(!is_early(&Case { opened, ..EARLY }, true), "{text}");
    }
}

#[test]
fn a_number_that_the_same_thread_got_or_that_was_given_out_before_is_known() {
    let twice = Case {
        before: "Some(1)",
        ..EARLY
    };
    assert!(!is_early(&twice, true));
    let before = Case {
        prefix: Some("Some(1)"),
        ..EARLY
    };
    assert!(!is_early(&before, true));
    let other = Case {
        prefix: Some("Some(3)"),
        ..EARLY
    };
    assert!(is_early(&other, true));
}

#[test]
fn a_number_of_another_object_or_one_that_the_object_has_from_a_call_is_none_of_its_own() {
    assert!(!is_early(&Case { object: 1, ..EARLY }, true));
    assert!(!is_early(&EARLY, false));
}
