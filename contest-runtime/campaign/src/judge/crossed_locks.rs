//! Deadlocks with a result that a thread keeps, such as a guard.
//!
//! One call after another, a call that waits for a guard of another thread hangs too, so serial orders do not say
//! whether that is a bug. This rule does. A thread that keeps a guard and calls again does what the interface allows;
//! it hangs by a fault of the crate if
//!
//! - it waits for a lock with which the guard has nothing to do: to take the same lock twice is its own mistake, and
//!   so is a read lock behind a writer;
//! - another thread holds that lock inside of a call that is under way: a lock that is held by a guard of that thread
//!   would be let go by the test, which has taken guards in opposite orders;
//! - and that call waits for what the guard holds.
//!
//! So only such tests are made in which one thread keeps something (`generators/holders`).

use super::history::History;
use super::judgement::Judge;
use contest_data::subject::Keeping;
use contest_data::test::{CallName, TestSlot};
use contest_data::trace::{
    Action, BlockedThread, Ending, ExecutionRecord, ObjectId, Outcome, ThreadIndex,
};

/// A thread that waits for a lock of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LockWait {
    pub waiter: ThreadIndex,
    pub holder: ThreadIndex,
    /// The call in which the holder has taken it.
    pub taken_in: Option<u16>,
    /// The calls in which the waiter had taken it before.
    pub had_in: Vec<u16>,
}

/// Who waits for whose locks at the end of the execution.
pub(super) fn lock_waits(record: &ExecutionRecord, slot: &TestSlot) -> Vec<LockWait> {
    let Ending::Deadlock(blocked) = &record.ending else {
        return Vec::new();
    };
    let of_lane = |it: &&BlockedThread| it.call.is_some() && slot.lane(it.thread.0).is_some();
    let mut found = Vec::new();
    for thread in blocked.iter().filter(of_lane) {
        let had_in: Vec<u16> = taken(record, thread.object, thread.thread).collect();
        for &holder in thread.waits_for.held_by() {
            found.push(LockWait {
                waiter: thread.thread,
                holder,
                taken_in: taken(record, thread.object, holder).last(),
                had_in: had_in.clone(),
            });
        }
    }
    found
}

/// The calls in which a thread took a lock.
fn taken(record: &ExecutionRecord, lock: ObjectId, by: ThreadIndex) -> impl Iterator<Item = u16> {
    let events = record.events.iter();
    let takes = events.filter(move |event| {
        let takes = matches!(
            event.action,
            Action::Acquire(_) | Action::TryAcquire(_, true) | Action::Arrive(true)
        );
        takes && event.thread == by && event.object == lock
    });
    takes.filter_map(|event| event.call)
}

/// True if a thread hangs with what it keeps, by the rule of this module.
pub(super) fn are_crossed(judge: &Judge<'_>, history: &History) -> bool {
    history.lock_waits.iter().any(|wait| {
        let Some(kept) = kept(judge, history, wait.waiter) else {
            return false;
        };
        let inside = pending(history, wait.holder);
        !wait.had_in.contains(&kept)
            && inside.is_some()
            && wait.taken_in == inside
            && history.lock_waits.iter().any(|back| {
                back.waiter == wait.holder
                    && back.holder == wait.waiter
                    && back.taken_in == Some(kept)
            })
    })
}

/// The call of the thread whose result it keeps.
fn kept(judge: &Judge<'_>, history: &History, thread: ThreadIndex) -> Option<u16> {
    let lane = history.lane(thread)?;
    let calls = history.lanes[lane].iter().enumerate();
    let mut kept = None;
    for (number, call) in calls {
        match judge.contract(CallName::Lane(lane, number)).keeping {
            Keeping::Keeps if matches!(call.outcome, Outcome::Returned(_)) => {
                kept = u16::try_from(number).ok();
            }
            Keeping::LetsGo if call.outcome != Outcome::Absent => kept = None,
            _ => {}
        }
    }
    kept
}

/// The call of the thread that is under way.
pub(super) fn pending(history: &History, thread: ThreadIndex) -> Option<u16> {
    let calls = history.lanes.get(history.lane(thread)?)?;
    let number = calls.iter().position(|it| it.outcome == Outcome::Pending)?;
    u16::try_from(number).ok()
}
