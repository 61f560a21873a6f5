//! Executions in which calls never return: each call that hangs must also hang in some serial order.
//!
//! Unless one of the threads keeps a guard (`crossed_locks`).
//!
//! A serial order in which a call that hangs was forgotten is no explanation: made again in the end, by another thread,
//! it would return, and the first one would go on waiting. So it is with a `close` that wakes one of two. A party that
//! is missing (a barrier, an exchange) is another matter: there the call made again lets the first one go on, or waits
//! too. So is a place for one: there the call made again is refused, for the first one has it.
//!
//! What gave up beside another call has done nothing, by custom: a receiver that waits because a `try_send` gave up
//! hangs rightly, as it does without that call.

use super::cancelled::{Effect, effects};
use super::crossed_locks::are_crossed;
use super::history::History;
use super::judgement::Judge;
use super::linearizability::Rest;
use super::refusal::refused;
use super::serial_outcomes::{RunSerially, SerialRun, orders};
use crate::generate::respects_ends;
use contest_data::sorted::SortedSet;
use contest_data::test::{CallName, MAX_LANES, Split};
use contest_data::trace::Outcome;
use contest_search::explore::Waits;

/// The calls that hang although they hang in no serial order, and no annotation says that they may.
pub(super) fn unexplained(
    judge: &Judge<'_>,
    history: &History,
    run: &mut dyn RunSerially,
) -> Vec<CallName> {
    let pending: SortedSet<CallName> = history.pending().collect();
    let may_block = |call: CallName| judge.contract(call).blocking;
    if are_crossed(judge, history) {
        let calls = pending.iter().copied();
        return calls.filter(|&call| !may_block(call)).collect();
    }
    let same_way = judge.outcomes.all().any(|serial| {
        let there: SortedSet<CallName> = serial.history.pending().collect();
        pending.is_subset(&there) && !forgets(judge, &pending, serial, run)
    });
    let same_way = same_way
        || effects(judge, history).iter().any(|effect| {
            !effect.is_none()
                && Rest::of(judge, history, effect, judge.compared, run).hangs_the_same_way()
        });
    if same_way {
        return Vec::new();
    }
    let unexplained: Vec<CallName> = pending
        .iter()
        .copied()
        .filter(|&call| match call {
            _ if may_block(call) => false,
            CallName::Lane(lane, _) => {
                let refused = refused(judge, history, run);
                !effects(judge, history).into_iter().any(|effect| {
                    let both = effect.with_and_without(&refused);
                    let mut both = both.iter();
                    both.any(|effect| hangs_serially(judge, history, lane, effect, run))
                })
            }
            // Calls of the main thread do not depend on other pending calls: the full serial runs above have them.
            CallName::Main(_) => true,
        })
        .collect();
    if !unexplained.is_empty()
        && history.time_passed
        && hangs_when_waits_are_over(judge, &pending, run)
    {
        return Vec::new();
    }
    unexplained
}

/// True if in this serial run a call that hangs was forgotten: made again in the end, it would return, while the first
/// one goes on waiting. That must not be because the first one is there: made in the end instead of where it was, it
/// returns the same, and all others return what they did. Nor can it be made again where it has an end for itself.
fn forgets(
    judge: &Judge<'_>,
    pending: &SortedSet<CallName>,
    serial: &SerialRun,
    run: &mut dyn RunSerially,
) -> bool {
    let lanes = judge.test.test.threads.len();
    let split = &judge.outcomes.split;
    if lanes >= MAX_LANES {
        return false;
    }
    let mut test = judge.test.clone();
    test.observers.clear();
    pending.iter().any(|&name| {
        let CallName::Lane(lane, number) = name else {
            return false;
        };
        // A call whose result is held has several steps. The one that is made again in the end is one step: it gives
        // back at once what it returns, so that it wakes the first one where that is what giving back does.
        let mut steps = 0;
        let (moved, mut last): (Vec<u8>, Vec<u8>) = serial.order.iter().partition(|it| {
            steps += usize::from(usize::from(**it) == lane);
            usize::from(**it) == lane && judge.outcomes.calls_begun(lane, steps) > number
        });
        if moved.is_empty() {
            return false;
        }
        last.extend(moved);
        let mut longer = test.clone();
        let made = longer.test.threads[lane][number].clone();
        longer.test.threads.push(vec![made]);
        if !respects_ends(longer.subject, &longer.test) {
            return false;
        }
        let order: Vec<u8> = serial.order.iter().copied().chain([lanes as u8]).collect();
        let again = run.run_serially(&longer, &order, split).history;
        let outcome = |history: &History, name: CallName| {
            let call = history.call(name);
            call.map(|it| it.outcome.clone())
        };
        let returned = outcome(&again, CallName::Lane(lanes, 0));
        if !matches!(returned, Some(Outcome::Returned(_)))
            || outcome(&again, name) != Some(Outcome::Pending)
        {
            return false;
        }
        let late = run.run_serially(&test, &last, split).history;
        let mut others = serial.history.lane_calls().filter(|(it, _)| *it != name);
        outcome(&late, name) == returned
            && others.all(|(it, call)| outcome(&late, it).as_ref() == Some(&call.outcome))
    })
}

/// True if these calls hang in some serial order in which a call that waits with a time limit gives up before the next
/// one starts: what starts while it waits meets another state.
fn hangs_when_waits_are_over(
    judge: &Judge<'_>,
    pending: &SortedSet<CallName>,
    run: &mut dyn RunSerially,
) -> bool {
    let mut test = judge.test.clone();
    test.observers.clear();
    run.set_waits(Waits::Over);
    let hangs = judge.outcomes.runs.iter().any(|serial| {
        let again = run.run_serially(&test, &serial.order, &judge.outcomes.split);
        let there: SortedSet<CallName> = again.history.pending().collect();
        pending.is_subset(&there)
    });
    run.set_waits(Waits::Meet);
    hangs
}

/// True if the call of this lane that hangs does so as the last one of some serial order of the calls that completed,
/// where calls have this effect.
fn hangs_serially(
    judge: &Judge<'_>,
    history: &History,
    lane: usize,
    effect: &Effect,
    run: &mut dyn RunSerially,
) -> bool {
    let stays =
        |lane: usize, number: usize| !effect.without.contains(&CallName::Lane(lane, number));
    let mut part = judge.test.clone();
    part.observers.clear();
    let mut completed = Vec::with_capacity(history.lanes.len());
    for (index, calls) in part.test.threads.iter_mut().enumerate() {
        let returned = history.lanes[index]
            .iter()
            .take_while(|call| matches!(call.outcome, Outcome::Returned(_)))
            .count();
        let kept = (0..returned).filter(|&number| stays(index, number));
        completed.push(kept.count());
        calls.truncate(returned + usize::from(index == lane));
        let mut number = 0;
        calls.retain(|_| {
            number += 1;
            stays(index, number - 1)
        });
    }
    let number = completed[lane];
    let Ok(lane_number) = u8::try_from(lane) else {
        return true;
    };
    let mut comparable = false;
    for mut order in orders(&completed).0 {
        order.push(lane_number);
        let serial = run.run_serially(&part, &order, &Split::new()).history;
        let outcome = |call: CallName| serial.call(call).map(|call| call.outcome.clone());
        match outcome(CallName::Lane(lane, number)) {
            Some(Outcome::Pending) => return true,
            Some(Outcome::Absent) | None => {}
            Some(_) => comparable = true,
        }
    }
    // Calls that never get so far one after another returned because of each other; what follows them is no evidence.
    !comparable
}
