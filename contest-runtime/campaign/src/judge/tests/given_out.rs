//! A number that a call is about to return is known to nobody.

use super::model::{Model, Step, empty, operation, returned, test};
use crate::judge::given_out::too_early;
use crate::judge::{Compared, Judge, SerialOutcomes};
use contest_data::subject::{Argument, Contract, GivenOut, Operation, Subject};
use contest_data::test::{RunnableTest, TestShape};

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

/// Thread 1 opens and gets this number; thread 2 opens, and closes 1 after that, which lasts for this span. `gives`:
/// the object gives out 1, whatever is closed.
fn is_too_early((got, ended): (&str, u32), span: (u32, u32), gives: bool) -> bool {
    let mut test: RunnableTest = test(&[vec![OPEN], vec![OPEN, CLOSE]]);
    test.subject = &TICKETS;
    test.test.threads[1][1].choices = vec![1];
    test.test.prefix = vec![test.test.threads[1][1].clone()];
    let shape = TestShape::of(&test);
    let mut history = empty(&shape);
    returned(&mut history, 0, 0, got, (1, ended));
    returned(&mut history, 1, 0, "Some(2)", (2, 3));
    returned(&mut history, 1, 1, "false", span);
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
    too_early(&judge, &history, &mut Model(step))
}

#[test]
fn a_number_is_known_once_the_call_that_gives_it_out_has_returned() {
    assert!(is_too_early(("Some(1)", 6), (4, 5), true));
    assert!(is_too_early(("Ticket { id: 1 }", 6), (4, 8), true));
    assert!(!is_too_early(("Some(1)", 4), (4, 5), true));
    assert!(!is_too_early(("Some(10)", 6), (4, 5), true));
    assert!(!is_too_early(("None", 6), (4, 5), true));
}

#[test]
fn a_number_that_the_object_has_from_a_call_is_known() {
    assert!(!is_too_early(("Some(1)", 6), (4, 5), false));
}
