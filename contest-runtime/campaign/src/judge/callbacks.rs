//! Calls whose closures call the object from inside, or panic there.
//!
//! A call that comes back is two calls, one inside the other, and no order of whole calls says what both may show. So
//! only what is wrong in any case counts: faults of memory, and a deadlock that no user can know of. That is one in
//! which
//!
//! - the call from the closure waits for a lock that the outer call has not taken. Who calls an object from a closure
//!   has to know the locks of the outer call, so a second read of such a lock behind a writer is no finding;
//! - another thread holds that lock inside of a call that is under way;
//! - and that call waits for what the first one holds while it runs the closure.
//!
//! Locks that the engine does not know as such are not judged. Alone such a call must not hang either: the generator
//! makes no such tests, and serial orders excuse them.
//!
//! A call whose closure panics is one like others: it panics in all serial orders too, and its caller catches that.
//! What panics because of that in another call may do so at one place if it waits meanwhile, and at another one if it
//! comes later.

use super::crossed_locks::pending;
use super::history::History;
use super::judgement::Judge;
use super::verdict::Verdict;
use contest_data::subject::UserCode;
use contest_data::test::CallName;
use contest_data::trace::{Ending, Outcome, ThreadIndex};

/// The verdict on a test with a call that comes back, unless the rules of others apply.
pub(super) fn judge(judge: &Judge<'_>, history: &History) -> Option<Verdict> {
    let mut calls = history.lane_calls();
    if !calls.any(|(name, _)| comes_back(judge, name)) {
        return panics_serially(judge, history).then_some(Verdict::Excused(
            "panics after a panic of a closure in a serial order too",
        ));
    }
    match &history.ending {
        _ if history.first_panic.is_some() => Some(Verdict::Excused(
            "a panic beside a closure that calls the object from inside",
        )),
        Ending::Deadlock(_) if are_crossed(judge, history) => None,
        Ending::Deadlock(_) | Ending::Livelock(_) => Some(Verdict::Excused(
            "a closure calls the object from inside, and waits for what its own call holds",
        )),
        Ending::Finished => Some(Verdict::Pass),
        _ => None,
    }
}

/// True if a call panics beside one whose closure panics, and does so in some serial order, at whatever place.
fn panics_serially(judge: &Judge<'_>, history: &History) -> bool {
    let Some((_, Some(call))) = &history.first_panic else {
        return false;
    };
    let panics = |name| judge.contract(name).user_code == UserCode::Panics;
    history.lane_calls().any(|(name, _)| panics(name))
        && judge.outcomes.all().any(|run| {
            let there = run.history.call(*call);
            there.is_some_and(|it| matches!(it.outcome, Outcome::Panicked(..)))
        })
}

fn comes_back(judge: &Judge<'_>, call: CallName) -> bool {
    judge.contract(call).user_code == UserCode::ComesBack
}

/// True if a closure waits for a lock by the rule of this module.
fn are_crossed(judge: &Judge<'_>, history: &History) -> bool {
    history.lock_waits.iter().any(|wait| {
        let Some(inside) = coming_back(judge, history, wait.waiter) else {
            return false;
        };
        let other = pending(history, wait.holder);
        !wait.had_in.contains(&inside)
            && other.is_some()
            && wait.taken_in == other
            && history.lock_waits.iter().any(|back| {
                back.waiter == wait.holder
                    && back.holder == wait.waiter
                    && back.taken_in == Some(inside)
            })
    })
}

/// The call of the thread that is under way, if its closure calls the object.
fn coming_back(judge: &Judge<'_>, history: &History, thread: ThreadIndex) -> Option<u16> {
    let lane = history.lane(thread)?;
    let number = pending(history, thread)?;
    comes_back(judge, CallName::Lane(lane, usize::from(number))).then_some(number)
}
