//! Operations named `try_...`, and those that say "retry", may give up because another thread is inside, by custom
//! without any effect; those that sleep where they have to wait may find that another one came first; and a call that
//! is under way may turn others away (`turned_away`). A history with such a refusal is right if it is right without
//! that call.

use super::cancelled::Effect;
use super::early_end;
use super::history::History;
use super::history::Observed;
use super::judgement::Judge;
use super::linearizability::{Rest, differences};
use super::readers::readers;
use super::serial_outcomes::{RunSerially, SerialOutcomes, SerialRun};
use crate::generate::in_order;
use contest_data::circumstances::Circumstances;
use contest_data::test::{CallName, ConcurrentTest, RunnableTest, Split};
use contest_data::trace::Outcome;

/// True if the results are explained by some order of the calls that did not give up.
pub(super) fn explains(judge: &Judge<'_>, history: &History, run: &mut dyn RunSerially) -> bool {
    let refused = refused(judge, history, run);
    !refused.is_empty() && {
        let effect = Effect::without(refused);
        Rest::of(judge, history, &effect, judge.compared, run).is_explained()
    }
}

/// True if the results are those of some order in which calls begin while the code that the caller of another one has
/// handed in runs: what admits so many calls refuses others while these are at work. Only if a call has refused to run
/// such code, for otherwise this would explain what is initialised twice, or overwritten. Where a task runs it, which a
/// call has started, the results are those of some order of the calls that were not refused.
pub(super) fn explains_beside_callers_code(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
) -> bool {
    let refused = refused_beside_callers_code(judge, history, run);
    if refused.is_empty() {
        return false;
    }
    if history.callers_in_background {
        let mut refused = refused.into_iter();
        return refused.any(|calls| explains_without(judge, history, run, calls, &[]));
    }
    let mut runs = apart(judge, run).runs.iter();
    runs.any(|run| differences(history, &run.history, judge.compared).is_empty())
}

/// True if such an order might be among those that were too many to be run.
pub(super) fn may_be_explained_beside_callers_code(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
) -> bool {
    !refused_beside_callers_code(judge, history, run).is_empty()
        && !history.callers_in_background
        && !apart(judge, run).complete
}

/// Calls that gave up beside another one, and run code of their callers otherwise; where a task has run such code,
/// those that do not only read. If all calls of the test gave up, one of them has refused the others: each way to say
/// so.
pub(super) fn refused_beside_callers_code(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
) -> Vec<Vec<CallName>> {
    let calls = history.lane_calls();
    let refusing =
        calls.filter(|(name, call)| gave_up(&call.outcome) && beside_another(history, *name, call));
    let mut refusing: Vec<CallName> = refusing.map(|(name, _)| name).collect();
    if refusing.is_empty() || judge.compared.strict {
        return Vec::new();
    }
    if history.callers_in_background {
        let reads = readers(judge, history, run);
        refusing.retain(|it| !reads.contains(it));
    } else {
        let apart = apart(judge, run);
        // A chain may have several parts in any case.
        let parts = |of: &SerialOutcomes, call: &CallName| of.split.get(call).copied().unwrap_or(0);
        refusing.retain(|it| parts(apart, it) > parts(judge.outcomes, it));
    }
    if refusing.is_empty() {
        return Vec::new();
    }
    if refusing.len() < history.lane_calls().count() {
        return vec![refusing];
    }
    let but = |kept: &CallName| refusing.iter().copied().filter(|it| it != kept).collect();
    refusing.iter().map(but).collect()
}

/// True if some order of the other calls has their results, but those of `readers`.
pub(super) fn explains_without(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
    refused: Vec<CallName>,
    readers: &[CallName],
) -> bool {
    let mut compared = judge.compared.clone();
    compared.ignored.extend(readers);
    Rest::of(judge, history, &Effect::without(refused), &compared, run).is_explained()
}

/// The orders in which calls begin while the code of the caller of another one runs.
fn apart<'a>(judge: &Judge<'a>, run: &mut dyn RunSerially) -> &'a SerialOutcomes {
    judge.outcomes.beside_callers.get_or_init(|| {
        let before = run.set_circumstances(Circumstances::USUAL);
        run.set_circumstances(before.with_callers_apart());
        let apart = SerialOutcomes::of(judge.test, run);
        run.set_circumstances(before);
        Box::new(apart)
    })
}

/// Calls that gave up beside another one; only those whose time limit was over if results are compared strictly.
pub(super) fn refused(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
) -> Vec<CallName> {
    let strict = judge.compared.strict;
    let mut refuses = |name: CallName, call: &Observed| {
        let outcome = &call.outcome;
        let mut gives_up = || tries(judge, name) || waits_asleep(judge, name, call, run);
        let says_so = || {
            is_turned_away(judge, history, name)
                || busy(outcome)
                || says_retry(outcome)
                || is_out_of_time(history, call)
        };
        gave_up(outcome) && gives_up() || says_so()
    };
    history
        .lane_calls()
        .filter(|(name, call)| {
            (early_end::gave_up(history, call) || !strict && refuses(*name, call))
                && beside_another(history, *name, call)
        })
        .map(|(name, _)| name)
        .collect()
}

/// True if another call, which was running, has turned this one away.
pub(super) fn is_turned_away(judge: &Judge<'_>, history: &History, name: CallName) -> bool {
    let mut by = history
        .call(name)
        .into_iter()
        .flat_map(|it| &it.turned_away);
    by.any(|it| it.tried || same_operation(judge, name, it.by))
}

/// True if the call slept to wait: in some serial order, or before all others, it comes back without that.
pub(super) fn waits_asleep(
    judge: &Judge<'_>,
    name: CallName,
    call: &Observed,
    run: &mut dyn RunSerially,
) -> bool {
    let at_once = |run: &SerialRun, name: CallName| {
        let call = run.history.call(name);
        call.is_some_and(|it| !it.slept && matches!(it.outcome, Outcome::Returned(_)))
    };
    if !call.slept {
        return false;
    }
    if judge.outcomes.runs.iter().any(|run| at_once(run, name)) {
        return true;
    }
    let CallName::Lane(lane, number) = name else {
        return false;
    };
    let threads = &judge.test.test.threads;
    let made = threads.get(lane).and_then(|calls| calls.get(number));
    let Some(made) = made.filter(|it| in_order(judge.test.subject, [*it])) else {
        return false;
    };
    let alone = RunnableTest {
        test: ConcurrentTest {
            prefix: Vec::new(),
            threads: vec![vec![made.clone()]],
            ..judge.test.test.clone()
        },
        observers: Vec::new(),
        ..judge.test.clone()
    };
    let alone = run.run_serially(&alone, &[0], &Split::new());
    at_once(&alone, CallName::Lane(0, 0))
}

/// Both calls are of one operation.
fn same_operation(judge: &Judge<'_>, one: CallName, other: CallName) -> bool {
    let operation = |name: CallName| match name {
        CallName::Lane(lane, number) => {
            let calls = judge.test.test.threads.get(lane)?;
            Some(calls.get(number)?.operation)
        }
        CallName::Main(_) => None,
    };
    operation(one).is_some() && operation(one) == operation(other)
}

/// The operation says by its name that it may give up.
fn tries(judge: &Judge<'_>, name: CallName) -> bool {
    let CallName::Lane(lane, number) = name else {
        return false;
    };
    let call = judge
        .test
        .test
        .threads
        .get(lane)
        .and_then(|calls| calls.get(number));
    call.and_then(|call| {
        judge
            .test
            .subject
            .operations
            .get(usize::from(call.operation))
    })
    .is_some_and(|operation| {
        let name = operation.name.rsplit("::").next().unwrap_or(operation.name);
        name.split('.').any(|part| part.starts_with("try_"))
    })
}

/// It returned nothing, an error, or a bare word such as `Locked`.
fn gave_up(outcome: &Outcome) -> bool {
    let Outcome::Returned(Some(text)) = outcome else {
        return false;
    };
    // The last part of a chain may be the one that gave up.
    let text = text
        .trim_start_matches("Some(")
        .trim_start_matches("Ok(")
        .trim_end_matches(')');
    let word = text.starts_with(char::is_uppercase)
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == ':');
    text == "false" || text.starts_with("Err(") || word
}

/// Words of errors that say that another call is in progress.
const BUSY: [&str; 6] = [
    "busy",
    "locked",
    "initializing",
    "wouldblock",
    "contended",
    "inprogress",
];

/// Words of errors that say that the time of a call is over.
const OUT_OF_TIME: [&str; 4] = ["timeout", "timedout", "elapsed", "deadline"];

/// It returned an error that says in words that another call is in progress.
fn busy(outcome: &Outcome) -> bool {
    let Outcome::Returned(Some(text)) = outcome else {
        return false;
    };
    let text = text.to_lowercase();
    text.starts_with("err(") && BUSY.iter().any(|word| text.contains(word))
}

/// It returned an error that says that its time is over, in an execution in which no time passed, and no thread was
/// there that could have waited for it: it was over before, so the call only tried.
fn is_out_of_time(history: &History, call: &Observed) -> bool {
    let Outcome::Returned(Some(text)) = &call.outcome else {
        return false;
    };
    let waits = history.time_passed || history.background_threads > 0 || call.slept;
    let no_time = !waits && !history.early_timeout && call.awaited.is_zero();
    no_time && text.starts_with("Err(") && says_out_of_time(text)
}

/// One of its words does, other than the name of a field.
fn says_out_of_time(text: &str) -> bool {
    let is_field = |rest: &str| rest.starts_with(':') && !rest.starts_with("::");
    let mut rest = text;
    while let Some(begin) = rest.find(|c: char| c.is_alphanumeric()) {
        rest = &rest[begin..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        let word = word.to_lowercase();
        if OUT_OF_TIME.iter().any(|it| word.contains(it)) && !is_field(after) {
            return true;
        }
        rest = after;
    }
    false
}

/// It returned a word that says that it lost against another call and wants to be called again, as work-stealing queues
/// do.
fn says_retry(outcome: &Outcome) -> bool {
    let Outcome::Returned(Some(text)) = outcome else {
        return false;
    };
    let text = text.trim_end_matches(')');
    let word = text.rsplit(['(', ':']).next().unwrap_or(text).trim();
    matches!(word, "Retry" | "Again" | "TryAgain" | "Interrupted")
}

/// Another lane was in a call at the same time.
fn beside_another(history: &History, name: CallName, call: &Observed) -> bool {
    let CallName::Lane(own, _) = name else {
        return false;
    };
    history.lane_calls().any(|(other, there)| {
        matches!(other, CallName::Lane(lane, _) if lane != own)
            && there.began < call.ended
            && call.began < there.ended
    })
}
