//! What a failing execution needs beside its order of steps: a thread that was held up, or one draw of random numbers.

use super::outcome::Outcome;
use super::shown::{Running, Shown};
use crate::campaign::draws::cause_by_draw;
use crate::judge::timing::{of_timing, port_was_taken, shortest};
use contest_data::finding::FindingKind;
use contest_data::trace::Schedule;

/// What is beside the test.
const TAKEN: &str = "another program takes the port between the moment when the test gives it up and its next `bind`";

/// The same failure without a delay, if it needs none; else with the shortest that it needs.
pub(super) fn with_shortest_delay(running: &mut Running<'_, '_>, shown: Shown) -> Shown {
    let Some(delay) = shown.record.schedule.leeway.delay else {
        return shown;
    };
    let mut best = shown;
    let mut schedule = best.record.schedule.clone();
    schedule.leeway.delay = None;
    if let Some(without) = again(running, &best, &schedule) {
        return without;
    }
    // Decisions were made where threads could run, which is another place with another delay.
    schedule.decisions.clear();
    schedule.checks.clear();
    shortest(delay, |shorter| {
        schedule.leeway.delay = Some(shorter);
        let shown = again(running, &best, &schedule);
        let does = shown.is_some();
        best = shown.unwrap_or_else(|| best.clone());
        does
    });
    best
}

/// The execution of this schedule, if it fails in the same way.
fn again(running: &mut Running<'_, '_>, shown: &Shown, schedule: &Schedule) -> Option<Shown> {
    running.replay(schedule);
    let again = running.shown()?;
    again.failure.is_like(&shown.failure).then_some(again)
}

/// The failure with what it depends on in its kind and its words.
pub(super) fn with_cause(running: &mut Running<'_, '_>, mut shown: Shown) -> Shown {
    let passes = |schedule| {
        running.replay(&schedule);
        (running.outcome() == Outcome::Passes).then(|| running.runner.record().clone())
    };
    if port_was_taken(&shown.record) {
        if shown.failure.kind == FindingKind::Panic {
            shown.failure.kind = FindingKind::Interference;
        }
        shown.failure.details.push(TAKEN.to_owned());
    } else if let Some(cause) = cause_by_draw(&shown.record, passes) {
        if shown.failure.kind == FindingKind::Panic && shown.record.preemptions == 0 {
            shown.failure.kind = FindingKind::Randomness;
        }
        shown.failure.details.push(cause);
    }
    if shown.record.schedule.leeway.delay.is_some() {
        running.runner.note_callers(true);
        running.replay_named(&shown.record.schedule);
        running.runner.note_callers(false);
        let again = running.shown();
        let again = again.filter(|again| again.failure.locations == shown.failure.locations);
        shown = again.unwrap_or(shown);
    }
    shown.failure = of_timing(shown.failure, &shown.record, &shown.names);
    shown
}
