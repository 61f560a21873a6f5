//! A long wait that nothing ends but its timeout: without the timeout it would be a deadlock. Timeouts fire only when
//! no thread can run, so time that was up says that no thread was left to end the wait.

use std::time::Duration;

use super::cancelled::{Effect, about_cancelled, are_too_many, cancelled, without_cancelled};
use super::history::{History, Observed};
use super::judgement::Judge;
use super::non_linearizable::{details, outcome};
use super::refusal::gave_up;
use super::serial_outcomes::{RunSerially, SerialOutcomes, SerialRun};
use super::verdict::Suspicion;
use contest_data::finding::FindingKind;
use contest_data::test::{CallName, MAX_LANES, Split};
use contest_data::trace::{CallRecord, Outcome};

/// Shortest timeout that counts. Short ones are how code polls.
const LONG: Duration = Duration::from_secs(1);
/// A wait of so long in a serial order is the same: what is left of a limit depends on how often the clock was read.
const ABOUT_AS_LONG: Duration = Duration::from_millis(500);

/// The suspicion for a call that waited until its time was up, which it does in no serial order. One in which another
/// call begins or ends meanwhile does not count, as that call may be the one that should have ended the wait; nor does
/// one that holds another call back between its parts, as that one could have gone on. Where a call of
/// another thread waited until its time was up as well, there is no suspicion: either may be over first, and what comes
/// after it may be what would have ended the other one.
///
/// Beside cancelled calls it must do so neither if they run to their end, which they must reach, nor without them.
pub(super) fn suspicion(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
) -> Option<Suspicion> {
    let here = |name, call| waits_out_nowhere(judge.outcomes, name, call);
    let (name, call) =
        (history.lane_calls()).find(|(name, call)| waited(call) >= LONG && here(*name, call))?;
    let mut others = history.lane_calls();
    if others.any(|(other, call)| lane(other) != lane(name) && !waited(call).is_zero()) {
        return None;
    }
    let given_up = cancelled(judge, history);
    if !given_up.is_empty() {
        let moved = Effect::without(given_up).moved(name);
        let rest = without_cancelled(judge, history, run)?;
        let is_clear = are_all_reached(judge.outcomes)
            && !are_too_many(judge, history)
            && waits_out_nowhere(&rest.outcomes, moved, call);
        if !is_clear {
            return None;
        }
    }
    let mut outcomes = judge.outcomes.clone();
    (outcomes.runs).retain(|run| is_of_whole_calls(run, &judge.outcomes.split));
    let of_whole_calls = Judge {
        outcomes: &outcomes,
        ..*judge
    };
    let suspicion = Suspicion {
        kind: FindingKind::Deadlock,
        rests_on_order: false,
        only_reads: false,
        message: format!(
            "{} is not woken: it waits until its timeout ({:.0} s) while no thread can run, then returns {}; one call after another, it does not",
            judge.text(name),
            waited(call).as_secs_f32(),
            outcome(&call.outcome)
        ),
        details: details(&of_whole_calls, history, &[name]),
        locations: vec![call.waited_at.clone()],
        calls: vec![name],
    };
    Some(about_cancelled(judge, history, suspicion))
}

/// True if no serial order that counts lets the call wait as long, or give up in another way.
fn waits_out_nowhere(outcomes: &SerialOutcomes, name: CallName, call: &Observed) -> bool {
    let there = |run: &SerialRun| {
        run.history.call(name).is_some_and(|it| {
            let is_same = call.waited_out < LONG && it.outcome == call.outcome;
            (is_same || it.waited_out.max(it.awaited) >= ABOUT_AS_LONG)
                && !is_disturbed(&run.history, it)
                && is_of_whole_calls(run, &outcomes.split)
        })
    };
    !outcomes.runs.is_empty() && !outcomes.runs.iter().any(there)
}

/// True if all calls come back in all serial orders.
fn are_all_reached(outcomes: &SerialOutcomes) -> bool {
    let returned = |it: &Observed| matches!(it.outcome, Outcome::Returned(_));
    let mut runs = outcomes.runs.iter();
    runs.all(|run| run.history.lane_calls().all(|(_, call)| returned(call)))
}

/// How long a call waited until its time was up. The timer of a runtime ends what awaits: that it was no event that
/// the call had waited for shows in that it gives up.
fn waited(call: &Observed) -> Duration {
    match gave_up(&call.outcome) {
        true => call.waited_out.max(call.awaited),
        false => call.waited_out,
    }
}

/// True if the call awaited something until its time was up.
pub(crate) fn is_over(call: &CallRecord) -> bool {
    call.awaited >= LONG && gave_up(&call.outcome)
}

/// True if another call begins or ends before this one ends.
fn is_disturbed(history: &History, this: &Observed) -> bool {
    let meanwhile = |time: u32| this.began < time && time < this.ended;
    let mut others = history.lane_calls();
    others.any(|(_, other)| meanwhile(other.began) || meanwhile(other.ended))
}

/// True if no call comes between two parts of another one.
fn is_of_whole_calls(run: &SerialRun, split: &Split) -> bool {
    let mut begun = [0; MAX_LANES];
    let mut steps = run.order.as_slice();
    while let [lane, ..] = steps {
        let number = &mut begun[usize::from(*lane)];
        let call = CallName::Lane(usize::from(*lane), *number);
        *number += 1;
        let parts = 1 + split.get(&call).map_or(0, |it| usize::from(*it));
        let (this, rest) = steps.split_at(parts.min(steps.len()));
        if this.iter().any(|it| it != lane) {
            return false;
        }
        steps = rest;
    }
    true
}

fn lane(call: CallName) -> Option<usize> {
    match call {
        CallName::Lane(lane, _) => Some(lane),
        _ => None,
    }
}
