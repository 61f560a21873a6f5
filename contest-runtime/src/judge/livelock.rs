//! Threads run for ever without changing anything.

use super::FindingKind;
use super::deadlock;
use super::history::{CallName, History};
use super::judgement::Judge;
use super::verdict::Suspicion;
use crate::trace::BlockedThread;

/// The suspicion for threads that go round loops.
pub(super) fn suspicion(
    judge: &Judge<'_>,
    history: &History,
    spinning: &[BlockedThread],
    calls: Vec<CallName>,
) -> Suspicion {
    let parts: Vec<String> = calls.iter().map(|&call| judge.text(call)).collect();
    let in_calls: Vec<&BlockedThread> = spinning
        .iter()
        .filter(|thread| thread.call.is_some())
        .collect();
    Suspicion {
        kind: FindingKind::Livelock,
        message: format!(
            "{} {} for ever: every thread waits for a change that none will make",
            parts.join(" and "),
            if parts.len() == 1 {
                "goes round a loop"
            } else {
                "go round loops"
            },
        ),
        details: spinning
            .iter()
            .map(|thread| deadlock::line(history, thread))
            .collect(),
        locations: deadlock::locations(&in_calls),
        calls,
    }
}
