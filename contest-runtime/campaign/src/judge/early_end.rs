//! Executions in which a wait with a time limit, or a sleep, was over while other threads could run: a machine may hold
//! these up for as long. They are judged like any other. A call that waited until its time was up may have given up
//! without any effect, also where one call after another has nothing to wait for.

use super::history::{History, Observed};
use super::judgement::Judge;
use super::linearizability::{Explanation, explain};
use super::serial_outcomes::{RunSerially, SerialOutcomes, SerialRun};
use super::verdict::Verdict;
use contest_data::test::CallName;
use contest_data::trace::Ending;
use contest_search::explore::Waits;
use std::time::Duration;

/// Why the execution is not judged by more than its results; `None` if it is.
///
/// A panic may be how the code says that it did not wait long enough. A call that gives up waiting for a background
/// thread leaves to it what it has asked for.
pub(super) fn judge(judge: &Judge<'_>, history: &History) -> Option<Verdict> {
    let results = history.ending == Ending::Finished && history.first_panic.is_none();
    let explained = || explain(history, judge.outcomes, judge.compared);
    if results && matches!(explained(), Some(Explanation::Linearizable(_))) {
        return Some(Verdict::Pass);
    }
    if results && history.early_sleep && history.reads_clock {
        return Some(Verdict::Unjudged(
            "a sleep was over early, and results may depend on the clock",
        ));
    }
    let hangs = matches!(history.ending, Ending::Deadlock(_));
    let alone = history.background_threads == 0 && !history.background_steps;
    let judged = alone && history.first_panic.is_none() && (results || hangs);
    (!judged).then_some(Verdict::Unjudged("a timeout fired early"))
}

/// The outcomes, and those of the same orders where each wait with a time limit is over before the next call starts;
/// `None` if some call waits for another one without a limit, so that no order has one call after another.
pub(super) fn with_limits_over(
    judge: &Judge<'_>,
    run: &mut dyn RunSerially,
) -> Option<SerialOutcomes> {
    let mut outcomes = judge.outcomes.clone();
    run.set_waits(Waits::Over);
    let over = judge.outcomes.runs.iter();
    let over = over.map(|it| run.run_serially(judge.test, &it.order, &outcomes.split));
    let over: Vec<SerialRun> = over.collect();
    run.set_waits(Waits::Meet);
    let comes_to_its_end = |it: &SerialRun| !it.overlapped && it.history.ending == Ending::Finished;
    if !over.iter().all(comes_to_its_end) {
        return None;
    }
    for shown in over {
        outcomes.add_varied(shown);
    }
    Some(outcomes)
}

/// True if the call waited until its time was up.
pub(super) fn gave_up(history: &History, call: &Observed) -> bool {
    history.early_timeout && call.waited_out > Duration::ZERO
}

/// What is to be said of a finding in such an execution.
pub(super) fn note(history: &History, text: impl Fn(CallName) -> String) -> String {
    let calls = history.lane_calls();
    let waited = calls.filter(|(_, call)| gave_up(history, call));
    let waited: Vec<String> = waited.map(|(name, _)| text(name)).collect();
    match waited.is_empty() {
        true => "here a sleep is over while another thread is late".to_owned(),
        false => format!(
            "here the time limit of {} is over while another thread is late",
            waited.join(" and ")
        ),
    }
}
