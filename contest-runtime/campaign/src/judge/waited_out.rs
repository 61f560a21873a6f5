//! A long wait that nothing ends but its timeout: without the timeout it would be a deadlock. Timeouts fire only when
//! no thread can run, so time that was up says that no thread was left to end the wait.

use std::time::Duration;

use super::cancelled::cancelled;
use super::history::History;
use super::judgement::Judge;
use super::non_linearizable::{details, outcome};
use super::verdict::Suspicion;
use contest_data::finding::FindingKind;
use contest_data::test::CallName;

/// Shortest timeout that counts. Short ones are how code polls.
const LONG: Duration = Duration::from_secs(1);
/// A wait of so long in a serial order is the same: what is left of a limit depends on how often the clock was read.
const ABOUT_AS_LONG: Duration = Duration::from_millis(500);

/// The suspicion for a call that waited until its time was up, which it does in no serial order. Where a call of
/// another thread waited until its time was up as well, there is none: either may be over first, and what comes after
/// it may be what would have ended the other one.
pub(super) fn suspicion(judge: &Judge<'_>, history: &History) -> Option<Suspicion> {
    let runs = &judge.outcomes.runs;
    // Serial orders run these to their end, and may not reach what comes after them.
    if !cancelled(judge, history).is_empty() {
        return None;
    }
    let (name, call) = history.lane_calls().find(|(name, call)| {
        let there = |run: &super::SerialRun| {
            run.history
                .call(*name)
                .is_some_and(|there| there.waited_out >= ABOUT_AS_LONG)
        };
        call.waited_out >= LONG && !runs.is_empty() && !runs.iter().any(there)
    })?;
    let mut others = history.lane_calls();
    if others.any(|(other, call)| lane(other) != lane(name) && !call.waited_out.is_zero()) {
        return None;
    }
    Some(Suspicion {
        kind: FindingKind::Deadlock,
        rests_on_order: false,
        only_reads: false,
        message: format!(
            "{} is not woken: it waits until its timeout ({:.0} s) while no thread can run, then returns {}; in no serial order does it",
            judge.text(name),
            call.waited_out.as_secs_f32(),
            outcome(&call.outcome)
        ),
        details: details(judge, history, &[name]),
        locations: vec![call.waited_at.clone()],
        calls: vec![name],
    })
}

fn lane(call: CallName) -> Option<usize> {
    match call {
        CallName::Lane(lane, _) => Some(lane),
        _ => None,
    }
}
