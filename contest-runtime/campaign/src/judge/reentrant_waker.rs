//! What goes wrong while a waker polls its future.
//!
//! `Wake::wake` may do anything, and executors exist that poll the task at once (`block_on` inside a waker, executors
//! of one thread that run what is woken, bridges to callbacks). Code that wakes while it holds a lock deadlocks then,
//! and code that wakes while it borrows a `RefCell` panics.

use super::history::History;
use super::judgement::Judge;
use super::verdict::Suspicion;
use contest_data::finding::FindingKind;
use contest_data::subject::FutureUse;
use contest_data::test::CallName;

/// The suspicion as one about wakers, if the execution ended inside a poll by one, or a panic ended such a poll.
pub(super) fn about_wakers(
    judge: &Judge<'_>,
    history: &History,
    mut suspicion: Suspicion,
) -> Suspicion {
    let Some(thread) = history.polls_in_wake.last() else {
        return suspicion;
    };
    let polled = history.lane_calls().find(|(name, call)| {
        let CallName::Lane(lane, number) = *name else {
            return false;
        };
        let made = &judge.test.test.threads[lane][number];
        let waits = call.began != u32::MAX && call.ended == u32::MAX;
        waits && judge.test.future_use(made) == FutureUse::PollInWake
    });
    let Some((polled, _)) = polled else {
        return suspicion;
    };
    let who = super::deadlock::thread_name(history, *thread, "");
    suspicion.kind = FindingKind::ReentrantWaker;
    suspicion.message = format!("with wakers that poll at once, {}", suspicion.message);
    let detail = format!("{who} wakes the future while it holds what the poll needs");
    suspicion.details.insert(0, detail);
    if !suspicion.calls.contains(&polled) {
        suspicion.calls.push(polled);
    }
    suspicion
}
