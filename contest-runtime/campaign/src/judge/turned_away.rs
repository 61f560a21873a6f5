//! Calls that another call turns away: `run` returns `false` because one is running.
//!
//! A flag marks a running operation. A call that finds it set returns `false` or an error, and does nothing. No order
//! of whole calls shows that. It is measured, not read off a name: the call found a value that another one had put in
//! the place of 0, by a read-modify-write, and took back before it returned; and it did nothing but look, or try to
//! take the flag, too. Two calls of one operation would both have tried, so there a look is enough.

use super::history::name_of;
use contest_data::test::{CallName, TestSlot};
use contest_data::trace::{Action, CallRecord, Event, ExecutionRecord, Outcome, ThreadIndex};

/// Why a call may have been turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TurnedAway {
    /// The call that was running, and had set a flag for that time.
    pub by: CallName,
    /// This one tried to set it, too.
    pub tried: bool,
}

/// Calls that may have turned this one away.
pub(crate) fn turned_away(
    record: &ExecutionRecord,
    call: &CallRecord,
    slot: &TestSlot,
) -> Vec<TurnedAway> {
    let mut all = Vec::new();
    if !says_no(&call.outcome) {
        return all;
    }
    for at in steps_of(record, call) {
        let event = &record.events[at];
        let tried = match event.action {
            Action::Load(_) => false,
            Action::CasFail(_) => true,
            Action::Rmw(..) if event.wrote == event.read => true,
            Action::CallBegin | Action::Fence(_) | Action::Yield | Action::PlainRead => continue,
            // It may have done something.
            _ => return Vec::new(),
        };
        let takers = record.calls.iter().filter(|other| {
            let of_lane = other.thread != call.thread && other.thread != ThreadIndex::MAIN;
            of_lane && sets_flag(record, other, at)
        });
        for taker in takers {
            if let Some(by) = name_of(taker.thread, taker.call, slot) {
                all.push(TurnedAway { by, tried });
            }
        }
    }
    all
}

/// The steps of a call, as numbers of events.
fn steps_of<'r>(
    record: &'r ExecutionRecord,
    call: &CallRecord,
) -> impl Iterator<Item = usize> + use<'r> {
    let (thread, number) = (call.thread, call.call);
    let last = record.events.len();
    let began = (call.began as usize).min(last);
    let ended = (call.ended as usize).clamp(began, last);
    (began..ended).filter(move |&at| {
        let event = &record.events[at];
        event.thread == thread && event.call == Some(number)
    })
}

/// True if the value that was read by this event is a flag that the call had set in place of 0, and took back later.
fn sets_flag(record: &ExecutionRecord, call: &CallRecord, read: usize) -> bool {
    let (object, found) = (record.events[read].object, record.events[read].read);
    if found == 0 || !matches!(call.outcome, Outcome::Returned(_)) {
        return false;
    }
    // A value that is not the newest any more was there before it was taken back.
    let stale = record.writes.stale_at(read).is_some();
    let is_write = |it: &Event| matches!(it.action, Action::Rmw(..) | Action::Store(_));
    let steps = steps_of(record, call).filter(|&at| {
        let event = &record.events[at];
        event.object == object && is_write(event)
    });
    let writes: Vec<usize> = steps.collect();
    let event = |at: usize| &record.events[at];
    let sets = |at: &usize| {
        let event = event(*at);
        matches!(event.action, Action::Rmw(..)) && (event.read, event.wrote) == (0, found)
    };
    let Some(set) = writes.iter().position(sets) else {
        return false;
    };
    let cleared = writes[set + 1..].first();
    let is_last = writes.len() == set + 2;
    cleared.is_some_and(|&cleared| {
        let in_between = writes[set] < read && (stale || read < cleared);
        is_last && event(cleared).wrote == 0 && in_between
    })
}

/// It returned `false` or an error.
pub(super) fn says_no(outcome: &Outcome) -> bool {
    let is_false = matches!(outcome, Outcome::Returned(Some(text)) if text == "false");
    is_false || error_in(outcome).is_some()
}

/// The error that it returned, with the `Err` around it.
pub(crate) fn error_in(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::Returned(Some(text)) if text.starts_with("Err(") => Some(text),
        _ => None,
    }
}
