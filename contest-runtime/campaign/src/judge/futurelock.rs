//! Calls that wait for what a future holds that is kept and not polled, as by `select!` with `&mut future` whose other
//! branch waits.
//!
//! The code under test may rely on being polled, so this is a hazard of its users, reported on request only. What the
//! calls return beside such a future is not judged.

use super::cancelled::Effect;
use super::deadlock::{in_calls, lines, locations};
use super::history::History;
use super::judgement::Judge;
use super::linearizability::Rest;
use super::serial_outcomes::RunSerially;
use super::verdict::{Suspicion, Verdict};
use contest_data::finding::FindingKind;
use contest_data::test::CallName;
use contest_data::trace::{BlockedThread, WaitsFor};

/// The verdict on an execution that ended with a future that a call keeps; `None` if there is none.
pub(super) fn judge(
    judge: &Judge<'_>,
    history: &History,
    blocked: &[BlockedThread],
    run: &mut dyn RunSerially,
) -> Option<Verdict> {
    let keeping = blocked.iter().filter(|it| it.waits_for == WaitsFor::Kept);
    let kept: Vec<CallName> = keeping
        .filter_map(|it| {
            let lane = history.lane(it.thread)?;
            Some(CallName::Lane(lane, usize::from(it.call?)))
        })
        .collect();
    if kept.is_empty() {
        return None;
    }
    let waiting: Vec<CallName> = history.pending().filter(|it| !kept.contains(it)).collect();
    if waiting.is_empty() || hang_serially(judge, history, &kept, &waiting, run) {
        return Some(Verdict::Pass);
    }
    let texts = |calls: &[CallName]| {
        let texts: Vec<String> = calls.iter().map(|&call| judge.text(call)).collect();
        texts.join(" and ")
    };
    let never = if waiting.len() == 1 {
        "never returns"
    } else {
        "never return"
    };
    let mut details = lines(history, blocked);
    details.push(
        "that is so neither without the call whose future is kept nor if it goes on to its end"
            .to_owned(),
    );
    let locations = locations(&in_calls(blocked));
    Some(Verdict::Suspect(Box::new(Suspicion {
        kind: FindingKind::Futurelock,
        rests_on_order: false,
        only_reads: false,
        message: format!("with {}, {} {never}", texts(&kept), texts(&waiting)),
        details,
        locations,
        calls: waiting.into_iter().chain(kept).collect(),
    })))
}

/// True if each call that waits does so in some serial order too, in which the futures that are kept have come to their
/// end, or have never been. Calls that would have come after them are in neither.
fn hang_serially(
    judge: &Judge<'_>,
    history: &History,
    kept: &[CallName],
    waiting: &[CallName],
    run: &mut dyn RunSerially,
) -> bool {
    let calls = || history.lane_calls().map(|(name, _)| name);
    let comes_after = |call: &CallName, first: usize| {
        kept.iter().any(|it| match (it, call) {
            (CallName::Lane(lane, kept), CallName::Lane(of, number)) => {
                lane == of && *number >= kept + first
            }
            _ => false,
        })
    };
    [0, 1].into_iter().any(|first| {
        let without: Vec<CallName> = calls().filter(|it| comes_after(it, first)).collect();
        let rest = Rest::of(
            judge,
            history,
            &Effect::without(without),
            judge.compared,
            run,
        );
        let hangs = |call: &CallName| {
            let mut runs = rest.outcomes.runs.iter();
            runs.any(|serial| serial.history.pending().any(|it| it == *call))
        };
        waiting.iter().all(hangs)
    })
}
