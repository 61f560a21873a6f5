//! Threads run for ever without changing anything.

use super::deadlock;
use super::history::History;
use super::judgement::Judge;
use super::verdict::Suspicion;
use contest_data::finding::FindingKind;
use contest_data::test::CallName;
use contest_data::trace::BlockedThread;

/// The suspicion for threads that go round loops.
pub(super) fn suspicion(
    judge: &Judge<'_>,
    history: &History,
    spinning: &[BlockedThread],
    calls: Vec<CallName>,
) -> Suspicion {
    let parts: Vec<String> = calls.iter().map(|&call| judge.text(call)).collect();
    let message = match parts.as_slice() {
        [call] => format!("{call} goes round a loop for ever: nothing changes what it waits for"),
        calls => format!(
            "{} go round loops for ever: each waits for a change that none of them makes",
            calls.join(" and ")
        ),
    };
    Suspicion {
        kind: FindingKind::Livelock,
        rests_on_order: false,
        only_reads: false,
        message,
        details: deadlock::lines(history, spinning),
        locations: deadlock::locations(&deadlock::in_calls(spinning)),
        calls,
    }
}
