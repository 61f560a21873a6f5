//! Counts of an `Arc` that a call holds up for a moment.
//!
//! A call that clones an `Arc`, or upgrades a `Weak`, and drops what it got before it returns is seen by who looks at
//! the count meanwhile: an `upgrade` succeeds once more, a `get_mut` is refused. No order of whole calls shows that,
//! and it is how an `Arc` is meant to work.

use contest_data::fold_hash::FoldMap;
use contest_data::trace::{Action, Event, ExecutionRecord, ObjectId, Place, ThreadIndex, Update};

/// True if a call looked at a count that another call, which was under way, had raised and not yet lowered again.
pub(crate) fn looked_at(record: &ExecutionRecord) -> bool {
    // No map of `std`, whose keys come out of those of the code under test: an execution under way is looked at too.
    let mut raised: FoldMap<(ThreadIndex, Option<u16>, ObjectId), i64> = FoldMap::default();
    for access in &record.visible {
        let Some(event) = record.events.get(access.event as usize) else {
            continue;
        };
        if !is_of_arc(&access.place) {
            continue;
        }
        let by = (event.thread, event.call);
        let by_others = raised.iter().any(|((thread, call, object), count)| {
            *object == event.object
                && *count > 0
                && (*thread, *call) != by
                && call.is_some_and(|call| is_under_way(record, *thread, call, access.event))
        });
        if by_others && looks(event) {
            return true;
        }
        if let Action::Rmw(..) = event.action {
            let change = event
                .wrote
                .cast_signed()
                .wrapping_sub(event.read.cast_signed());
            let count = raised.entry((by.0, by.1, event.object)).or_default();
            *count = (*count + change).max(0);
        }
    }
    false
}

/// True if what the thread does next may depend on the value: it does more than count up or down.
fn looks(event: &Event) -> bool {
    !matches!(event.action, Action::Rmw(_, Update::Add))
}

fn is_under_way(record: &ExecutionRecord, thread: ThreadIndex, call: u16, event: u32) -> bool {
    record.calls.iter().any(|record| {
        (record.thread, record.call) == (thread, call)
            && record.began <= event
            && event < record.ended
    })
}

fn is_of_arc(place: &Place) -> bool {
    let Place::Stack(frames) = place else {
        return false;
    };
    frames
        .iter()
        .any(|frame| frame.function.contains("alloc::sync::"))
}
