//! A wait with a timeout that nobody ends: without the timeout it would be a deadlock. Timeouts fire only when no thread can run, so time
//! that was up says that nobody was left to end the wait.

use super::FindingKind;
use super::history::History;
use super::judgement::Judge;
use super::non_linearizable::{details, outcome};
use super::verdict::Suspicion;

/// The suspicion for a call that waited until its time was up, which it does in no serial order, and came back with something else for
/// it. The caller has found that no serial order explains the results; a call that looks again after its timeout and finds what it
/// waited for is slow, not wrong.
pub(super) fn suspicion(judge: &Judge<'_>, history: &History) -> Option<Suspicion> {
    let (call, location) = history.lane_calls().find_map(|(name, call)| {
        let location = call.waited_out.clone()?;
        let there = |run: &super::SerialRun| {
            run.history.call(name).is_some_and(|there| {
                there.waited_out.is_some()
                    || judge.compared.equal(name, &call.outcome, &there.outcome)
            })
        };
        (!judge.outcomes.runs.is_empty() && !judge.outcomes.runs.iter().any(there))
            .then_some((name, location))
    })?;
    Some(Suspicion {
        kind: FindingKind::Deadlock,
        message: format!(
            "{} waits until its timeout, while no thread can run, and returns {}; one call after another, it is woken",
            judge.text(call),
            history
                .call(call)
                .map_or_else(String::new, |call| outcome(&call.outcome))
        ),
        details: details(judge, history, &[call]),
        locations: vec![location],
        calls: vec![call],
    })
}
