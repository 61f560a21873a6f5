//! What an execution showed, as a number: executions with the same are judged once.

use std::hash::{Hash, Hasher};

use crate::judge::name_of;
use contest_data::fold_hash::FoldHash;
use contest_data::test::TestSlot;
use contest_data::trace::{Ending, ExecutionRecord, Outcome, ThreadIndex};

/// A hash of all that the judge looks at: results, how it ended, and which calls came after which.
pub(super) fn outcome_key(record: &ExecutionRecord, slot: &TestSlot) -> u64 {
    let mut hasher = FoldHash::default();
    // Calls are recorded in order of their beginning; their sum is the same in any order.
    let mut calls = 0_u64;
    let mut panicked = false;
    for call in &record.calls {
        let mut one = FoldHash::default();
        let name = name_of(call.thread, call.call, slot);
        (name, call.blocked, call.waited_out).hash(&mut one);
        match &call.outcome {
            // The message may hold values.
            Outcome::Panicked(..) => panicked = true,
            outcome => outcome.hash(&mut one),
        }
        // Which calls had ended before this one began.
        if call.thread != ThreadIndex::MAIN {
            for other in &record.calls {
                if other.ended < call.began && other.thread != ThreadIndex::MAIN {
                    name_of(other.thread, other.call, slot).hash(&mut one);
                }
            }
        }
        calls = calls.wrapping_add(one.finish());
    }
    calls.hash(&mut hasher);
    if panicked || !record.panics.is_empty() {
        for panic in &record.panics {
            (&panic.location, panic.thread, panic.call).hash(&mut hasher);
        }
    }
    (record.early_timeout, record.background_steps).hash(&mut hasher);
    // Then the order of calls counts for less.
    record.writes.stale().next().is_some().hash(&mut hasher);
    record.writes.spurious.is_empty().hash(&mut hasher);
    let mut unowned: Vec<usize> = record.unowned.iter().map(|block| block.size).collect();
    unowned.sort_unstable();
    unowned.hash(&mut hasher);
    for fault in &record.faults {
        for (deed, at) in fault.deeds() {
            (at.place, deed).hash(&mut hasher);
        }
    }
    match &record.ending {
        Ending::Finished => 0_u8.hash(&mut hasher),
        Ending::Deadlock(blocked) | Ending::Livelock(blocked) => {
            matches!(record.ending, Ending::Deadlock(_)).hash(&mut hasher);
            for thread in blocked {
                (thread.thread, thread.call, &thread.location).hash(&mut hasher);
            }
        }
        Ending::StepLimit(_) => 3_u8.hash(&mut hasher),
        Ending::MemoryLimit(_) => 4_u8.hash(&mut hasher),
        Ending::Abandoned => 5_u8.hash(&mut hasher),
        Ending::Panicked(_) => 6_u8.hash(&mut hasher),
        Ending::Exit(text) | Ending::Unsupported(text) => text.hash(&mut hasher),
    }
    hasher.finish()
}
