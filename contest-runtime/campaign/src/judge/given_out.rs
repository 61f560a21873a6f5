//! Calls with a number that the object has not given out yet: the id of a job that is still being made.
//!
//! Tests guess numbers, and objects count theirs from 0 or 1. `close(1)` beside the `open()` that will return 1 meets
//! what is half made, which no caller can: it would have to know the 1 before that call has returned.
//!
//! A number that a call puts in is another matter: `push(1)` beside the `pop()` that returns 1, `add(1)` beside
//! `increment()`. So the object must give the number out without the calls that have it, and such a call must show
//! others nothing if it comes first of all. A history is right if it is right without these calls.

use super::history::{History, Observed};
use super::judgement::Judge;
use super::refusal::explains_without;
use super::serial_outcomes::{RunSerially, SerialOutcomes, SerialRun};
use contest_data::subject::GivenOut;
use contest_data::test::{CallName, MainCall, RunnableTest, TestCall, TestShape};
use contest_data::trace::Outcome;

/// Most such calls of one history; each subset of them is tried.
const MOST: usize = 4;

/// True if some order of the other calls has their results. One that came late enough may have done its work.
pub(super) fn explains(judge: &Judge<'_>, history: &History, run: &mut dyn RunSerially) -> bool {
    let mut early = too_early(judge, history, run);
    early.truncate(MOST);
    (1_u32..1 << early.len()).any(|subset| {
        let is_in = |it: &(usize, &CallName)| subset >> it.0 & 1 == 1;
        let without = early.iter().enumerate().filter(is_in).map(|(_, it)| *it);
        explains_without(judge, history, run, without.collect(), &[])
    })
}

/// Calls with a number that a call of another thread returned which was still running then, and none before.
pub(super) fn too_early(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
) -> Vec<CallName> {
    let calls = history.lane_calls();
    let early = calls.filter(|(name, call)| {
        let Some(made) = judge.made(*name) else {
            return false;
        };
        numbers(judge, made).any(|(given, number)| {
            let givers = || givers(judge, history, given, (made.object, number));
            // Numbers of another operation are others: those of events, and of who listens to them.
            let known = |by: &str| {
                let mut same = givers().filter(|it| it.operation == by);
                same.any(|it| comes_before(judge, &it, (*name, call)))
            };
            let mut running = givers().filter(|it| runs_beside(it, (*name, call)));
            running.any(|it| !known(it.operation) && is_guessed(judge, given, &it, made, run))
        })
    });
    early.map(|(name, _)| name).collect()
}

/// A call that returned a number.
struct Giver<'a> {
    name: CallName,
    operation: &'static str,
    call: &'a Observed,
}

/// True if who makes the call knows what the other one returned. Where something stale was read, calls may have been
/// anywhere, but those of one thread came in their order, and after those before the threads.
fn comes_before(judge: &Judge<'_>, giver: &Giver<'_>, (name, call): (CallName, &Observed)) -> bool {
    match (giver.name, name) {
        (CallName::Main(number), _) => {
            matches!(judge.shape.main_call(number), MainCall::Prefix(_))
        }
        (CallName::Lane(lane, earlier), CallName::Lane(own, later)) if lane == own => {
            earlier < later
        }
        _ => giver.call.ended <= call.began,
    }
}

/// True for a call of another thread that overlaps.
fn runs_beside(giver: &Giver<'_>, (name, call): (CallName, &Observed)) -> bool {
    let overlaps = giver.call.began < call.ended && call.began < giver.call.ended;
    let lane = |name| match name {
        CallName::Lane(lane, _) => Some(lane),
        CallName::Main(_) => None,
    };
    overlaps && lane(giver.name).is_some_and(|it| Some(it) != lane(name))
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

/// Calls of such operations of this object that returned the number.
fn givers<'a>(
    judge: &'a Judge<'_>,
    history: &'a History,
    given: &'a GivenOut,
    (object, number): (u8, &'a str),
) -> impl Iterator<Item = Giver<'a>> {
    let main = history.main.iter().enumerate();
    let main = main.map(|(at, call)| (CallName::Main(at), call));
    main.chain(history.lane_calls())
        .filter_map(move |(name, call)| {
            let operation = judge.operation(name)?.name;
            let Outcome::Returned(Some(text)) = &call.outcome else {
                return None;
            };
            let gives = given.by.contains(&operation)
                && judge.made(name)?.object == object
                && has(text, number);
            gives.then_some(Giver {
                name,
                operation,
                call,
            })
        })
}

/// True if a result is the number, has it as one of several, or as its field `id`.
fn has(result: &str, number: &str) -> bool {
    let mut text = result;
    while let Some(inner) = ["Ok(", "Some("].iter().find_map(|it| text.strip_prefix(it)) {
        text = inner.strip_suffix(')').unwrap_or(inner);
    }
    let parts = text.trim_matches(['(', ')']).split(", ");
    let fields = text.split(['{', '}', ',']).map(str::trim);
    let is_id = |it: &str| it.strip_prefix("id: ") == Some(number);
    parts.chain(fields).any(|it| it == number || is_id(it))
}

/// True if the object gives the number out without the calls that have it, and such a call changes nothing that others
/// are shown if it comes first of all.
fn is_guessed(
    judge: &Judge<'_>,
    given: &GivenOut,
    giver: &Giver<'_>,
    made: &TestCall,
    run: &mut dyn RunSerially,
) -> bool {
    let number = numbers(judge, made).find(|(it, _)| it.argument == given.argument);
    let Some((_, number)) = number else {
        return false;
    };
    let has_number = |call: &TestCall| numbers(judge, call).any(|(_, it)| it == number);
    let mut rest: RunnableTest = judge.test.clone();
    rest.test.prefix.retain(|it| !has_number(it));
    for lane in &mut rest.test.threads {
        lane.retain(|it| !has_number(it));
    }
    rest.test.threads.retain(|lane| !lane.is_empty());
    let without = SerialOutcomes::of(&rest, run);
    let mut with = rest.clone();
    with.test.prefix.push(made.clone());
    let with = SerialOutcomes::of(&with, run);
    let judge = Judge {
        test: &rest,
        shape: &TestShape::of(&rest),
        outcomes: &without,
        ..*judge
    };
    let mut runs = without.runs.iter();
    let gives = runs.any(|run| {
        let mut givers = givers(&judge, &run.history, given, (made.object, number));
        givers.any(|it| it.operation == giver.operation)
    });
    let same = |(without, with): (&SerialRun, &SerialRun)| {
        let both = shown(&without.history).zip(shown(&with.history));
        let mut results = both.map(|((name, left), (_, right))| (name, left, right));
        results.all(|(name, left, right)| judge.compared.equal(name, &left.outcome, &right.outcome))
    };
    gives && without.runs.iter().zip(&with.runs).all(same)
}

/// Calls of threads, and those that look at what they have left.
fn shown(history: &History) -> impl Iterator<Item = (CallName, &Observed)> {
    history.lane_calls().chain(history.observer_calls())
}

#[cfg(test)]
mod tests {
    use super::has;

    #[test]
    fn a_number_is_given_out_alone_or_as_an_id() {
        for result in [
            "1",
            "Some(1)",
            "Ok(1)",
            "(1, \"a\")",
            "Ok(Job { id: 1, left: 0 })",
        ] {
            assert!(has(result, "1"), "{result}");
        }
        for result in [
            "-1",
            "1.5",
            "10",
            "None",
            "Err(Full { limit: 1 })",
            "Job { id: 7, left: 1 }",
            "Job { parent_id: 1 }",
        ] {
            assert!(!has(result, "1"), "{result}");
        }
    }
}
