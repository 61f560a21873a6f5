//! No thread can run, and a future that was not woken is ready all the same.
//!
//! A future that returns `Pending` must see to it that the waker of its newest poll is woken once it can go on
//! (`Future::poll`), so this needs no serial order to compare with.

use super::cancelled::cancelled;
use super::deadlock::{lines, locations};
use super::history::History;
use super::judgement::Judge;
use super::verdict::Suspicion;
use contest_data::finding::FindingKind;
use contest_data::subject::FutureUse;
use contest_data::test::CallName;
use contest_data::trace::{BlockedThread, WaitsFor};

/// The suspicion, if some future is ready that nothing woke.
pub(super) fn suspicion(
    judge: &Judge<'_>,
    history: &History,
    blocked: &[BlockedThread],
) -> Option<Suspicion> {
    let lost: Vec<&BlockedThread> = blocked
        .iter()
        .filter(|thread| matches!(thread.waits_for, WaitsFor::Wake { ready: true, .. }))
        .collect();
    let first = lost.first()?;
    let lane = history.lane(first.thread)?;
    let call = CallName::Lane(lane, usize::from(first.call?));
    let text = judge.text(call);
    let late = matches!(first.waits_for, WaitsFor::Wake { timers: true, .. });
    let mut message = if late {
        format!("{text} waits too long: its future is ready, and nothing but time may wake it")
    } else {
        format!("{text} never returns: its future is ready, and nothing wakes it")
    };
    let mut calls = vec![call];
    let cancelled = cancelled(judge, history);
    if !cancelled.is_empty() {
        let texts: Vec<String> = cancelled.iter().map(|&call| judge.text(call)).collect();
        message = format!("with {}, {message}", texts.join(" and "));
        calls.extend(cancelled);
    }
    let mut details = lines(history, blocked);
    let again = &judge.test.test.threads[lane][usize::from(first.call?)];
    if judge.test.future_use(again) == FutureUse::PollAgain {
        details.push(
            "each poll has another waker, and only that of the newest poll need be woken"
                .to_owned(),
        );
    }
    Some(Suspicion {
        kind: FindingKind::LostWakeup,
        rests_on_order: false,
        only_reads: false,
        message,
        details,
        locations: locations(&lost),
        calls,
    })
}
