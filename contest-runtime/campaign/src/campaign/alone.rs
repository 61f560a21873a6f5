//! Calls that fail without any concurrency: reported once, as what they are.

use super::prepared_test::PreparedTest;
use crate::judge::History;
use contest_data::test::call_text;
use contest_data::test::{CallName, MainCall};
use contest_data::totals::{Alone, FailureAlone};
use contest_data::trace::{Ending, Outcome};

/// A call that fails alone.
#[derive(Clone, Debug)]
pub(super) struct FailsAlone {
    /// `None` for a constructor.
    pub operation: Option<u16>,
    pub alone: Alone,
}

/// All of them in the serial runs of a test.
pub(super) fn failing_alone(prepared: &PreparedTest) -> Vec<FailsAlone> {
    let outcomes = &prepared.outcomes;
    if let Some((call, _)) = outcomes.failing_prefix() {
        return describe(prepared, call).into_iter().collect();
    }
    outcomes
        .failing_alone()
        .into_iter()
        .filter_map(|call| describe(prepared, call))
        .collect()
}

fn describe(prepared: &PreparedTest, call: CallName) -> Option<FailsAlone> {
    let first = match call {
        CallName::Main(_) => 0,
        CallName::Lane(lane, _) => lane as u8,
    };
    let run = prepared
        .outcomes
        .runs
        .iter()
        .find(|run| matches!(call, CallName::Main(_)) || run.order.first() == Some(&first))?;
    let history = &run.history;
    let (how, detail) = match &history.call(call)?.outcome {
        Outcome::Panicked(message, location) => {
            let raw = history
                .first_panic
                .as_ref()
                .filter(|(panic, _)| panic.location == *location);
            let message = raw.map_or(message, |(panic, _)| &panic.message);
            (FailureAlone::Panics, format!("{message} at {location}"))
        }
        _ if matches!(history.ending, Ending::Livelock(_)) => {
            (FailureAlone::DoesNotEnd, waits(history))
        }
        _ => (FailureAlone::Blocks, waits(history)),
    };
    let subject = prepared.test.subject;
    let test = &prepared.test.test;
    let mut calls = call_text::prefix(subject, test);
    match call {
        CallName::Main(number) => calls.truncate(number + 1),
        CallName::Lane(lane, number) => {
            let own = test.threads.get(lane)?.iter().take(number + 1);
            calls.extend(own.map(|made| call_text::call(subject, made)));
        }
    }
    let operation = match call {
        CallName::Main(number)
            if matches!(prepared.shape.main_call(number), MainCall::Object(_)) =>
        {
            None
        }
        call => prepared.operation(call),
    };
    let alone = Alone {
        subject: subject.name.to_owned(),
        calls,
        what: how,
        detail,
    };
    Some(FailsAlone { operation, alone })
}

/// What the call waits for, if the run ended with it. A serial run has one call at a time.
fn waits(history: &History) -> String {
    let (Ending::Deadlock(blocked) | Ending::Livelock(blocked)) = &history.ending else {
        return "until another call lets it go on".to_owned();
    };
    let own = blocked.iter().find(|thread| thread.call.is_some());
    own.map_or_else(String::new, |thread| match thread.location.as_str() {
        "" => thread.waits_for.to_string(),
        location => format!("{} at {location}", thread.waits_for),
    })
}
