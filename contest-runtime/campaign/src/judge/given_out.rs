//! Calls with a number that the object has not given out yet: the id of a job that is still being made.
//!
//! Tests guess numbers, and objects count theirs from 0 or 1. `close(1)` beside the `open()` that will return 1 meets
//! what is half made, which no caller can: it would have to know the 1 before that call has returned.

use super::history::{History, Observed};
use super::judgement::Judge;
use contest_data::subject::GivenOut;
use contest_data::test::CallName;
use contest_data::trace::Outcome;

/// True if a call of a thread had a number that a call returned which was still running then, and none before.
pub(super) fn too_early(judge: &Judge<'_>, history: &History) -> bool {
    history.lane_calls().any(|(name, call)| {
        let numbers = judge.contract(name).given_out;
        let mut numbers = numbers
            .iter()
            .filter_map(|it| Some((it, number(judge, name, it)?)));
        numbers.any(|(given, number)| {
            let givers = || givers(judge, history, given, number);
            givers().any(|it| it.began < call.ended && call.began < it.ended)
                && !givers().any(|it| it.ended <= call.began)
        })
    })
}

/// The number that a call has for this argument.
fn number(judge: &Judge<'_>, name: CallName, given: &GivenOut) -> Option<&'static str> {
    let argument = usize::from(given.argument);
    let choice = usize::from(*judge.made(name)?.choices.get(argument)?);
    let choices = judge.operation(name)?.arguments.get(argument)?.choices;
    choices.get(choice).copied()
}

/// Calls of such operations that returned the number.
fn givers<'a>(
    judge: &'a Judge<'_>,
    history: &'a History,
    given: &'a GivenOut,
    number: &'a str,
) -> impl Iterator<Item = &'a Observed> {
    let main = history.main.iter().enumerate();
    let main = main.map(|(at, call)| (CallName::Main(at), call));
    let all = main.chain(history.lane_calls());
    let giving = all.filter(|(name, _)| {
        let operation = judge.operation(*name);
        operation.is_some_and(|it| given.by.contains(&it.name))
    });
    giving.map(|(_, call)| call).filter(move |call| {
        let Outcome::Returned(Some(text)) = &call.outcome else {
            return false;
        };
        let mut words = text.split(|it: char| !it.is_alphanumeric() && it != '_');
        words.any(|it| it == number)
    })
}
