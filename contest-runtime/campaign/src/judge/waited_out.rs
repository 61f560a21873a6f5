//! A long wait that nothing ends but its timeout: without the timeout it would be a deadlock. Timeouts fire only when
//! no thread can run, so time that was up says that no thread was left to end the wait.

use std::time::Duration;

use super::cancelled::cancelled;
use super::history::{History, Observed};
use super::judgement::Judge;
use super::non_linearizable::{details, outcome};
use super::serial_outcomes::{SerialOutcomes, SerialRun};
use super::verdict::Suspicion;
use contest_data::finding::FindingKind;
use contest_data::test::{CallName, MAX_LANES, Split};
use contest_data::trace::Outcome;

/// Shortest timeout that counts. Short ones are how code polls.
const LONG: Duration = Duration::from_secs(1);
/// A wait of so long in a serial order is the same: what is left of a limit depends on how often the clock was read.
const ABOUT_AS_LONG: Duration = Duration::from_millis(500);

/// The suspicion for a call that waited until its time was up, which it does in no serial order that counts (see
/// [`counts`]). There is none where another thread waited or slept as well: either wait may be over first, and what
/// comes after it may be what would have ended the other one. Nor is there one where another call returned what it
/// returns in no order: it may have been refused, and may have left this one without what it waits for.
pub(super) fn suspicion(judge: &Judge<'_>, history: &History) -> Option<Suspicion> {
    let outcomes = judge.outcomes;
    // Serial orders run cancelled calls to their end, and may not reach what comes after them.
    if !cancelled(judge, history).is_empty() || !outcomes.complete {
        return None;
    }
    let here = |name, call| waits_out_nowhere(outcomes, history, name, call);
    let (name, call) =
        (history.lane_calls()).find(|(name, call)| waited(call) >= LONG && here(*name, call))?;
    let mut others = (history.lane_calls()).filter(|(other, _)| lane(*other) != lane(name));
    let waits_too = |other: &Observed| {
        let overlaps = call.began < other.ended && other.began < call.ended;
        let waits = other.slept || !other.awaited.is_zero();
        !other.waited_out.is_zero() || overlaps && waits
    };
    if others.any(|(_, other)| waits_too(other)) || outcomes.unstable.contains(&name) {
        return None;
    }
    let mut all = outcomes.all();
    if !all.any(|run| all_others_are_the_same(judge, history, run, name)) {
        return None;
    }
    let mut counted = outcomes.clone();
    (counted.runs).retain(|run| counts(run, history, name, &outcomes.split));
    counted.varied.clear();
    let counted = Judge {
        outcomes: &counted,
        ..*judge
    };
    Some(Suspicion {
        kind: FindingKind::Deadlock,
        rests_on_order: false,
        only_reads: false,
        message: format!(
            "{} is not woken: it waits until its timeout ({:.0} s) while no thread can run, then returns {}; one call after another, it does not",
            judge.text(name),
            waited(call).as_secs_f32(),
            outcome(&call.outcome)
        ),
        details: details(&counted, history, &[name]),
        locations: vec![call.waited_at.clone()],
        calls: vec![name],
    })
}

/// True if serial orders count, and none of them lets the call wait as long, or give up in another way.
fn waits_out_nowhere(
    outcomes: &SerialOutcomes,
    history: &History,
    name: CallName,
    call: &Observed,
) -> bool {
    let counted = (outcomes.runs.iter()).filter(|run| counts(run, history, name, &outcomes.split));
    let mut there = counted.filter_map(|run| run.history.call(name));
    let waits_out = |it: &Observed| {
        let is_same = call.waited_out < LONG && gives_up(&it.outcome);
        is_same || it.waited_out.max(it.awaited) >= ABOUT_AS_LONG
    };
    there.clone().next().is_some() && !there.any(waits_out)
}

/// True if a serial order says what the call does by itself. No other call begins or ends before it has ended: that one
/// may be what should have ended the wait. No call comes between two parts of another one, which could have gone on. A
/// call of another thread that had ended here before this one had comes before it there.
fn counts(run: &SerialRun, history: &History, name: CallName, split: &Split) -> bool {
    let (Some(here), Some(there)) = (history.call(name), run.history.call(name)) else {
        return false;
    };
    let meanwhile = |time: u32| there.began < time && time < there.ended;
    let mut others = run.history.lane_calls().filter(|(it, _)| *it != name);
    let is_undisturbed = others.all(|(other, it)| {
        let had_ended = history.call(other).is_some_and(|it| it.ended < here.ended);
        !meanwhile(it.began) && !meanwhile(it.ended) && (!had_ended || it.began < there.began)
    });
    is_undisturbed && is_of_whole_calls(run, split)
}

/// True if all calls but this one returned what they return in this order.
fn all_others_are_the_same(
    judge: &Judge<'_>,
    history: &History,
    run: &SerialRun,
    name: CallName,
) -> bool {
    let mut others = history.lane_calls().filter(|(other, _)| *other != name);
    others.all(|(other, here)| {
        let there = run.history.call(other);
        there.is_some_and(|there| judge.compared.equal(other, &here.outcome, &there.outcome))
    })
}

/// How long a call waited until its time was up. The timer of a runtime ends what awaits: that it was no event that
/// the call had waited for shows in that it gives up.
fn waited(call: &Observed) -> Duration {
    match gives_up(&call.outcome) {
        true => call.waited_out.max(call.awaited),
        false => call.waited_out,
    }
}

/// It returned nothing, or an error.
fn gives_up(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Returned(Some(text))
        if text == "None" || text == "false" || text.starts_with("Err("))
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
