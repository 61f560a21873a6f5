//! Calls with a number that the object has not given out yet: the id of a job that is still being made.
//!
//! Tests guess numbers, and objects count theirs from 0 or 1. `close(1)` beside the `open()` that will return 1 meets
//! what is half made, which no caller can: it would have to know the 1 before that call has returned.
//!
//! A number that a call has put in is another matter: `push(1)` beside the `pop()` that returns 1. So it is tried
//! whether the object gives it out without the calls that have it.

use super::history::{History, Observed};
use super::judgement::Judge;
use super::serial_outcomes::{RunSerially, SerialOutcomes};
use contest_data::subject::GivenOut;
use contest_data::test::{CallName, TestCall, TestShape};
use contest_data::trace::Outcome;

/// True if a call of a thread had a number that a call returned which was still running then, and none before.
pub(super) fn too_early(judge: &Judge<'_>, history: &History, run: &mut dyn RunSerially) -> bool {
    history.lane_calls().any(|(name, call)| {
        let numbers = judge
            .made(name)
            .into_iter()
            .flat_map(|it| numbers(judge, it));
        numbers.into_iter().any(|(given, number)| {
            let givers = || givers(judge, history, given, number);
            let runs = |it: &Observed| it.began < call.ended && call.began < it.ended;
            // Numbers of another operation are others: those of events, and of who listens to them.
            let known = |by: &str| givers().any(|(it, of)| it == by && of.ended <= call.began);
            let mut running = givers().filter(|(_, it)| runs(it));
            running.any(|(by, _)| !known(by) && comes_from_object(judge, given, by, number, run))
        })
    })
}

/// Arguments of a call that are such numbers.
fn numbers(
    judge: &Judge<'_>,
    call: &TestCall,
) -> impl Iterator<Item = (&'static GivenOut, &'static str)> {
    let operation = &judge.test.subject.operations[usize::from(call.operation)];
    let given_out = operation.contract.given_out.iter();
    given_out.filter_map(|given| {
        let argument = usize::from(given.argument);
        let choice = usize::from(*call.choices.get(argument)?);
        let texts = operation.arguments.get(argument)?.choices;
        Some((given, *texts.get(choice)?))
    })
}

/// Calls of such operations that returned the number, each with the name of its operation.
fn givers<'a>(
    judge: &'a Judge<'_>,
    history: &'a History,
    given: &'a GivenOut,
    number: &'a str,
) -> impl Iterator<Item = (&'static str, &'a Observed)> {
    calls(history).filter_map(move |(name, call)| {
        let operation = judge.operation(name)?.name;
        let Outcome::Returned(Some(text)) = &call.outcome else {
            return None;
        };
        let mut words = text.split(|it: char| !it.is_alphanumeric() && it != '_');
        let gives = given.by.contains(&operation) && words.any(|it| it == number);
        gives.then_some((operation, call))
    })
}

/// True if the operation `by` gives the number out without the calls that have it, one call after another.
fn comes_from_object(
    judge: &Judge<'_>,
    given: &GivenOut,
    by: &str,
    number: &str,
    run: &mut dyn RunSerially,
) -> bool {
    let mut rest = judge.test.clone();
    let has_number = |call: &TestCall| numbers(judge, call).any(|(_, it)| it == number);
    rest.test.prefix.retain(|it| !has_number(it));
    for lane in &mut rest.test.threads {
        lane.retain(|it| !has_number(it));
    }
    rest.test.threads.retain(|lane| !lane.is_empty());
    let outcomes = SerialOutcomes::of(&rest, run);
    let judge = Judge {
        test: &rest,
        shape: &TestShape::of(&rest),
        outcomes: &outcomes,
        ..*judge
    };
    let mut runs = outcomes.runs.iter();
    runs.any(|run| givers(&judge, &run.history, given, number).any(|(it, _)| it == by))
}

fn calls(history: &History) -> impl Iterator<Item = (CallName, &Observed)> {
    let main = history.main.iter().enumerate();
    let main = main.map(|(at, call)| (CallName::Main(at), call));
    main.chain(history.lane_calls())
}
