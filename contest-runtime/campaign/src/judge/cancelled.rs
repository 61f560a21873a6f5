//! Calls whose future was dropped at an `await`. Such a call may have had no effect, or all of its effect: with it left
//! out, or kept whole, the history must be explained like any other, as Lincheck requires of suspended calls that are
//! cancelled (Koval, Fedorov, Sokolova, Tsitelov, Alistarh: Lincheck, CAV 2023). If it is kept whole its result is not
//! compared. All of its effect is what it has done when it has returned, or when it waits, also where it waits for
//! ever.
//!
//! Where code of the user waits (a stand-in in that mode), a call that is cancelled may have something in hand on which
//! that code was at work: a connection that is tested, say. What its type does with that is up to it, so what is
//! explained by variants of results alone, without the final state, is not judged then.

use super::history::{History, Observed};
use super::judgement::Judge;
use super::linearizability::Rest;
use super::refusal::refused;
use super::serial_outcomes::RunSerially;
use super::verdict::Suspicion;
use contest_data::finding::{CancelledCall, FindingKind};
use contest_data::subject::FutureUse;
use contest_data::test::CallName;
use contest_data::trace::{Action, AwaitEnd, ExecutionRecord, Outcome};

/// More calls than these are not cancelled in one test.
const MOST_CANCELLED: usize = 3;
/// Of the calls beside them, so many may be left out.
const MOST_BESIDE: usize = 3;

/// What a cancelled call may have done: for each set of calls what becomes of them in serial orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Effect {
    /// They are left out: they have done nothing, or have given up.
    pub without: Vec<CallName>,
    /// They are left where they wait. Other cancelled calls are run to their end.
    pub waiting: Vec<CallName>,
}

impl Effect {
    /// Without these calls; all others are run to their end.
    pub(super) fn without(calls: Vec<CallName>) -> Self {
        Self {
            without: calls,
            waiting: Vec::new(),
        }
    }

    /// True if all calls are run to their end.
    pub(super) fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The same, and the cancelled calls that it does not leave out are left where they wait; `None` if it leaves out
    /// all.
    fn left_waiting(&self, cancelled: &[CallName]) -> Option<Self> {
        let stays = |call: &&CallName| !self.without.contains(call);
        let waiting: Vec<CallName> = cancelled.iter().filter(stays).copied().collect();
        (!waiting.is_empty()).then(|| Self {
            without: self.without.clone(),
            waiting,
        })
    }

    /// True if the calls that wait here do so for ever where they are run to their end, in this order. What comes to
    /// its end must not be kept from it.
    /// A call that waits for ever is one step there, and may be several where it is left.
    fn waits_for_ever(&self, order: &[(usize, usize)], whole: &Rest) -> bool {
        whole.outcomes.runs.iter().any(|run| {
            let mut waiting = self.waiting.iter();
            whole.outcomes.calls_of(&run.order) == order
                && waiting.all(|&call| {
                    let there = run.history.call(self.moved(call));
                    there.is_some_and(|there| there.outcome == Outcome::Pending)
                })
        })
    }

    /// The name of a call once those are left out that are.
    fn moved(&self, call: CallName) -> CallName {
        let CallName::Lane(lane, number) = call else {
            return call;
        };
        let gone = |it: &usize| self.without.contains(&CallName::Lane(lane, *it));
        CallName::Lane(lane, number - (0..number).filter(gone).count())
    }

    /// The same without these calls either.
    fn and_without(mut self, calls: &[CallName]) -> Self {
        self.without.extend(calls);
        self.waiting.retain(|it| !calls.contains(it));
        self
    }

    /// The same, with calls that gave up left out as well, if there are any; first as it is.
    pub(super) fn with_and_without(self, gave_up: &[CallName]) -> Vec<Self> {
        if gave_up.is_empty() {
            return vec![self];
        }
        let other = self.clone().and_without(gave_up);
        vec![self, other]
    }
}

/// True if more calls were cancelled, or came to their end beside one, than are left out in all ways: then it is not
/// known whether one of the ways explains what they show.
pub(super) fn are_too_many(judge: &Judge<'_>, history: &History) -> bool {
    let cancelled = all_cancelled(judge, history);
    cancelled.len() > MOST_CANCELLED || beside(history, &cancelled).len() > MOST_BESIDE
}

/// The calls that were cancelled.
pub(super) fn cancelled(judge: &Judge<'_>, history: &History) -> Vec<CallName> {
    let mut calls = all_cancelled(judge, history);
    calls.truncate(MOST_CANCELLED);
    calls
}

fn all_cancelled(judge: &Judge<'_>, history: &History) -> Vec<CallName> {
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
        .collect()
}

/// What cancelled calls may have done: each set of them may be left out (those that are not in it are kept whole), and
/// with it each set of calls that ended beside one of them, because these may have given up while it waited. The one
/// with all calls whole comes first.
pub(super) fn effects(judge: &Judge<'_>, history: &History) -> Vec<Effect> {
    let cancelled = cancelled(judge, history);
    if cancelled.is_empty() {
        return vec![Effect::default()];
    }
    let mut beside = beside(history, &cancelled);
    beside.truncate(MOST_BESIDE);
    let all: Vec<CallName> = cancelled.iter().chain(&beside).copied().collect();
    let set = |members: u32| {
        let numbered = (0..).zip(&all);
        let members = numbered.filter(|(number, _)| members & 1 << number != 0);
        Effect::without(members.map(|(_, call)| *call).collect())
    };
    (0..1_u32 << all.len()).map(set).collect()
}

/// True if the results are explained by some order of the calls without some of the cancelled ones.
///
/// Until it is dropped, a future that waits may show: it stands in a queue, it keeps others out. So what the calls
/// beside it return is not compared; what comes after it, and the final state, must be as if it was never there, or
/// complete.
pub(super) fn explains(judge: &Judge<'_>, history: &History, run: &mut dyn RunSerially) -> bool {
    let beside = beside(history, &cancelled(judge, history));
    explains_without(judge, history, beside, run)
}

/// The same, if stand-ins wait: of results only the variants are compared, and the final state is not.
pub(super) fn explains_by_variant(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
) -> bool {
    judge.users_side_waits() && {
        let mut compared = judge.compared.clone();
        compared.by_variant = true;
        let final_state = history.observer_calls().map(|(name, _)| name);
        compared.ignored.extend(final_state);
        let judge = Judge {
            compared: &compared,
            ..*judge
        };
        explains(&judge, history, run)
    }
}

/// The same, if what a cancelled call has left to a task was not done while the threads of the test ran, or may not
/// have been. Then only what the task leaves is compared, and nothing where the test ended beside it.
pub(super) fn explains_what_tasks_leave(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
) -> bool {
    let calls = history.lane_calls().map(|(name, _)| name).collect();
    history.background_threads > 0
        && (history.settling > 0 || history.ended_at_once)
        && explains_without(judge, history, calls, run)
}

/// The same, without the results of these calls.
fn explains_without(
    judge: &Judge<'_>,
    history: &History,
    ignored: Vec<CallName>,
    run: &mut dyn RunSerially,
) -> bool {
    let cancelled = cancelled(judge, history);
    if cancelled.is_empty() {
        return false;
    }
    let refused = refused(judge, history, run);
    let mut compared = judge.compared.clone();
    compared.ignored.extend(ignored);
    effects(judge, history).into_iter().any(|effect| {
        let both = effect.with_and_without(&refused);
        both.into_iter().any(|effect| {
            let whole = Rest::of(judge, history, &effect, &compared, run);
            whole.is_explained()
                || effect.left_waiting(&cancelled).is_some_and(|effect| {
                    let mut waiting = Rest::of(judge, history, &effect, &compared, run);
                    waiting.keep_orders(|order| effect.waits_for_ever(order, &whole));
                    waiting.is_explained()
                })
        })
    })
}

/// The test without its cancelled calls, if there are any.
pub(super) fn without_cancelled(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
) -> Option<Rest> {
    let cancelled = cancelled(judge, history);
    let any = !cancelled.is_empty();
    any.then(|| {
        let effect = Effect::without(cancelled);
        Rest::of(judge, history, &effect, judge.compared, run)
    })
}

/// The test with its cancelled calls left where they wait, if there are any.
pub(super) fn left_waiting(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
) -> Option<Rest> {
    let effect = Effect::default().left_waiting(&cancelled(judge, history))?;
    Some(Rest::of(judge, history, &effect, judge.compared, run))
}

/// Calls that overlap a cancelled one and came to their end.
fn beside(history: &History, cancelled: &[CallName]) -> Vec<CallName> {
    let overlap = |call: &Observed| {
        let mut cancelled = cancelled.iter().filter_map(|&other| history.call(other));
        cancelled.any(|other| call.began < other.ended && other.began < call.ended)
    };
    let calls = history.lane_calls();
    calls
        .filter(|(name, call)| {
            let ended = matches!(call.outcome, Outcome::Returned(_));
            ended && !cancelled.contains(name) && overlap(call)
        })
        .map(|(name, _)| name)
        .collect()
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
        AwaitEnd::PolledInWake => "its waker polls the future here",
        AwaitEnd::Kept => "the future is kept from here on without being polled",
        AwaitEnd::Probed => "no thread can run: the future is polled to see whether it is ready",
    }
}
