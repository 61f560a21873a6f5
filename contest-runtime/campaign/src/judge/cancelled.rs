//! Calls whose future was dropped at an `await`. Such a call may have had no effect, or all of its effect: with it left
//! out, or kept whole, the history must be explained like any other, as Lincheck requires of suspended calls that are
//! cancelled (Koval, Fedorov, Sokolova, Tsitelov, Alistarh: Lincheck, CAV 2023). If it is kept whole its result is not
//! compared.

use super::history::History;
use super::judgement::Judge;
use super::linearizability::{Compared, Rest};
use super::refusal::refused;
use super::serial_outcomes::RunSerially;
use super::verdict::Suspicion;
use contest_data::finding::{CancelledCall, FindingKind};
use contest_data::subject::FutureUse;
use contest_data::test::CallName;
use contest_data::trace::{Action, AwaitEnd, ExecutionRecord, Outcome};

/// More calls than these are not cancelled in one test.
const MOST_CANCELLED: usize = 3;

/// The calls that were cancelled.
pub(super) fn cancelled(judge: &Judge<'_>, history: &History) -> Vec<CallName> {
    let is_cancelled = |name: CallName, outcome: &Outcome| {
        let CallName::Lane(lane, number) = name else {
            return false;
        };
        let text = Some(FutureUse::CANCELLED.to_owned());
        let call = &judge.test.test.threads[lane][number];
        *outcome == Outcome::Returned(text) && judge.test.future_use(call).may_drop()
    };
    let calls = history.lane_calls();
    calls
        .filter(|(name, call)| is_cancelled(*name, &call.outcome))
        .map(|(name, _)| name)
        .take(MOST_CANCELLED)
        .collect()
}

/// What may be left out of the test beside the cancelled calls that are kept whole: each set of them, the empty one
/// first.
pub(super) fn left_out(judge: &Judge<'_>, history: &History) -> Vec<Vec<CallName>> {
    let cancelled = cancelled(judge, history);
    let sets = 0..1_u32 << cancelled.len();
    let set = |members: u32| {
        let numbered = (0..).zip(&cancelled);
        let members = numbered.filter(|(number, _)| members & 1 << number != 0);
        members.map(|(_, call)| *call).collect()
    };
    sets.map(set).collect()
}

/// True if the results are explained by some order of the calls without some of the cancelled ones.
///
/// Until it is dropped, a future that waits may show: it stands in a queue, it keeps others out. So what the calls beside
/// it return may be as in an order in which it waits to the end, and then only the rest must be as if it was never
/// there, or complete.
pub(super) fn explains(judge: &Judge<'_>, history: &History, run: &mut dyn RunSerially) -> bool {
    let cancelled = cancelled(judge, history);
    if cancelled.is_empty() {
        return false;
    }
    let refused = refused(judge, history);
    let left_out_explains = |compared: &Compared, run: &mut dyn RunSerially| {
        left_out(judge, history).into_iter().any(|mut without| {
            Rest::of(judge, history, &without, compared, run).is_explained() || {
                without.extend(&refused);
                !refused.is_empty()
                    && Rest::of(judge, history, &without, compared, run).is_explained()
            }
        })
    };
    if left_out_explains(judge.compared, run) {
        return true;
    }
    let beside = beside(history, &cancelled);
    let mut rest = judge.compared.clone();
    rest.ignored.extend(&beside);
    if beside.is_empty() || !calls_are_as_in_some_order(judge, history, &cancelled) {
        return false;
    }
    // Some of them may have given up because it was there.
    let gave_up: Vec<CallName> = cancelled.iter().chain(&beside).copied().collect();
    left_out_explains(&rest, run)
        || Rest::of(judge, history, &gave_up, judge.compared, run).is_explained()
}

/// Calls that overlap a cancelled one.
fn beside(history: &History, cancelled: &[CallName]) -> Vec<CallName> {
    let overlap = |name: CallName| {
        cancelled.iter().any(|&other| {
            let calls = (history.call(name), history.call(other));
            matches!(calls, (Some(one), Some(other)) if one.began < other.ended && other.began < one.ended)
        })
    };
    let calls = history.lane_calls().map(|(name, _)| name);
    calls
        .filter(|name| !cancelled.contains(name) && overlap(*name))
        .collect()
}

/// True if the calls that began before the cancelled ones were dropped return what they do in some order in which those
/// may wait for ever. What came after is not looked at.
fn calls_are_as_in_some_order(
    judge: &Judge<'_>,
    history: &History,
    cancelled: &[CallName],
) -> bool {
    let ends = cancelled.iter().filter_map(|&name| history.call(name));
    let end = ends.map(|call| call.ended).max().unwrap_or(0);
    judge.outcomes.runs.iter().any(|run| {
        let mut calls = history.lane_calls().filter(|(_, call)| call.began < end);
        calls.all(|(name, call)| {
            run.history
                .call(name)
                .is_some_and(|there| judge.compared.equal(name, &call.outcome, &there.outcome))
        })
    })
}

/// The suspicion as one about the cancelled calls, if there are any.
pub(super) fn about_cancelled(
    judge: &Judge<'_>,
    history: &History,
    mut suspicion: Suspicion,
) -> Suspicion {
    let cancelled = cancelled(judge, history);
    if cancelled.is_empty() {
        return suspicion;
    }
    let texts: Vec<String> = cancelled.iter().map(|&call| judge.text(call)).collect();
    let texts = texts.join(" and ");
    let effect = match suspicion.kind {
        FindingKind::NonLinearizable => {
            "that is so neither if the cancelled call has no effect nor if it has all of it"
        }
        _ => "that is so neither without the cancelled call nor if it goes on to its end",
    };
    suspicion.kind = FindingKind::Cancellation;
    suspicion.message = format!("with {texts}, {}", suspicion.message);
    suspicion.details.insert(0, effect.to_owned());
    for call in cancelled {
        if !suspicion.calls.contains(&call) {
            suspicion.calls.push(call);
        }
    }
    suspicion
}

/// The cancelled calls, with how often the future of each was polled.
pub(crate) fn cancelled_calls(
    judge: &Judge<'_>,
    record: &ExecutionRecord,
    history: &History,
) -> Vec<CancelledCall> {
    let polls = |lane: usize, number: usize| {
        let thread = history.threads.get(lane).copied().flatten();
        let own = record.events.iter().filter(|event| {
            Some(event.thread.0) == thread && event.call.map(usize::from) == Some(number)
        });
        let waits = own.filter(|event| {
            matches!(
                event.action,
                Action::Park(_) | Action::Await | Action::Yield
            ) && event.name == "await"
        });
        waits.count() as u32
    };
    let cancelled = cancelled(judge, history).into_iter();
    let named = cancelled.filter_map(|call| match call {
        CallName::Lane(lane, call) => Some(CancelledCall {
            lane: lane as u16,
            call: call as u16,
            polls: polls(lane, call),
        }),
        CallName::Main(_) => None,
    });
    named.collect()
}

/// What an `await` came to, in words.
pub(super) fn await_text(read: u64) -> &'static str {
    match AwaitEnd::of_bits(read) {
        AwaitEnd::Woken => "await goes on",
        AwaitEnd::Cancelled => "the future is dropped at this await",
        AwaitEnd::CancelledWoken => "the future is dropped at this await, after it was woken",
        AwaitEnd::PolledAgain => "the future is polled again without having been woken",
        AwaitEnd::Probed => "no thread can run: the future is polled to see whether it is ready",
    }
}
