//! Calls that another call turns away: `run` returns `false` because one is running.
//!
//! A flag says that the operation is under way. Who finds it set tries no further and comes back with `false` or an
//! error. No order of whole calls shows that, and it is what the flag is for. It is measured, not read off a name: the
//! call has tried to change a value that the other one has put there, by a read-modify-write, and takes away before it
//! returns; and it has changed nothing that threads share. Two calls of one operation would both have tried, so there a
//! look at the value is enough.

use super::history::name_of;
use contest_data::test::{CallName, TestSlot};
use contest_data::trace::{Action, CallRecord, Event, ExecutionRecord, Outcome, ThreadIndex};

/// Why a call that did nothing may have been turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TurnedAway {
    /// The call that was under way, and had taken for its time what this one found taken.
    pub by: CallName,
    /// This one tried to take it, too.
    pub tried: bool,
}

/// Why this call may have been turned away, if it may.
pub(crate) fn turned_away(
    record: &ExecutionRecord,
    call: &CallRecord,
    slot: &TestSlot,
) -> Option<TurnedAway> {
    if !says_no(&call.outcome) {
        return None;
    }
    let own = |it: &&Event| it.thread == call.thread && it.call == Some(call.call);
    let during = |call: &CallRecord| {
        let last = record.events.len();
        let at = |step: u32| (step as usize).min(last);
        at(call.began)..at(call.ended.max(call.began))
    };
    let (mut read, mut tried) = (None, false);
    for place in during(call) {
        let event = &record.events[place];
        if !own(&event) {
            continue;
        }
        match event.action {
            Action::Load(_) => (read, tried) = (Some(place), false),
            Action::CasFail(_) => (read, tried) = (Some(place), true),
            Action::Rmw(..) if event.wrote == event.read => (read, tried) = (Some(place), true),
            Action::Rmw(..) | Action::Store(_) | Action::PlainWrite => return None,
            _ => {}
        }
    }
    let read = read?;
    let (object, found) = (record.events[read].object, record.events[read].read);
    // What was not seen yet has not ended for the one who looks.
    let stale = record.writes.stale().next().is_some();
    let takes = |other: &&CallRecord| {
        let range = during(other);
        let of_lane = other.thread != call.thread && other.thread != ThreadIndex::MAIN;
        let is_beside = of_lane && (stale || range.contains(&read));
        if !is_beside || !matches!(other.outcome, Outcome::Returned(_)) {
            return false;
        }
        let of_other = |it: &&Event| {
            it.object == object && it.thread == other.thread && it.call == Some(other.call)
        };
        let is_write = |it: &&Event| matches!(it.action, Action::Rmw(..) | Action::Store(_));
        let events = record.events[range].iter().filter(of_other);
        let writes: Vec<&Event> = events.filter(is_write).collect();
        let takes = |it: &Event| {
            matches!(it.action, Action::Rmw(..)) && it.wrote == found && it.read != found
        };
        let Some(taken) = writes.iter().position(|it| takes(it)) else {
            return false;
        };
        let last = writes.len() - 1;
        taken < last && writes[last].wrote == writes[taken].read
    };
    let mut takers = record.calls.iter().filter(takes);
    let by = takers.find_map(|it| name_of(it.thread, it.call, slot))?;
    Some(TurnedAway { by, tried })
}

/// It returned `false` or an error.
fn says_no(outcome: &Outcome) -> bool {
    let Outcome::Returned(Some(text)) = outcome else {
        return false;
    };
    text == "false" || text.starts_with("Err(")
}
