//! A panic that no serial order shows (ALGORITHMS E.5). Only the first one counts: what comes after it may be its consequence.

use super::FindingKind;
use super::history::{CallName, History};
use super::judgement::Judge;
use super::verdict::{Suspicion, Verdict};
use crate::trace::{Outcome, Panic};

/// Judges the first panic of an execution.
pub(super) fn judge(
    judge: &Judge<'_>,
    history: &History,
    panic: &Panic,
    call: Option<CallName>,
) -> Verdict {
    if call.is_some_and(|call| judge.outcomes.unstable.contains(&call)) {
        return Verdict::Unjudged("a call that differs from run to run");
    }
    let shown_serially = judge.outcomes.runs.iter().any(|run| match call {
        // Where the call had to wait for a later one it did not run alone: such a run is no linearization.
        Some(call) => run.history.call(call).is_some_and(|there| {
            !(run.overlapped && there.blocked)
                && matches!(&there.outcome, Outcome::Panicked(_, at) if *at == panic.location)
        }),
        None => run.panics.contains(&panic.location),
    });
    if shown_serially {
        return Verdict::Excused("panics in a serial order too");
    }
    let message = match call {
        Some(call) => format!("{} panics: {}", judge.text(call), panic.message),
        None => format!(
            "{} panics: {}",
            super::deadlock::thread_name(history, panic.thread, ""),
            panic.message
        ),
    };
    Verdict::Suspect(Box::new(Suspicion {
        kind: FindingKind::Panic,
        message,
        details: vec![format!(
            "panicked at {}; in none of the {} serial orders of the calls does it",
            panic.location,
            judge.outcomes.runs.len()
        )],
        locations: vec![panic.location.clone()],
        calls: call.into_iter().collect(),
    }))
}
