//! What an execution showed, as a number: executions with the same are judged once. What the judge looks at is in it,
//! so that equal numbers have equal verdicts.

use std::hash::{Hash, Hasher};

use crate::judge::{
    BesideCalls, held_counts, in_half_seconds, name_of, steps_of_call, turned_away, under_way,
};
use contest_data::fold_hash::FoldHash;
use contest_data::sorted;
use contest_data::test::TestSlot;
use contest_data::trace::{CallRecord, Ending, ExecutionRecord, Outcome, ThreadIndex};
use contest_engine::observe::stripped;

/// A hash of all that the judge looks at: results, how it ended, and which calls came after which.
pub(super) fn outcome_key(record: &ExecutionRecord, slot: &TestSlot) -> u64 {
    let mut hasher = FoldHash::default();
    // Calls are recorded in order of their beginning; their sum is the same in any order.
    let mut calls = 0_u64;
    let mut panicked = false;
    for call in &record.calls {
        let mut one = FoldHash::default();
        let name = name_of(call.thread, call.call, slot);
        (name, call.blocked, call.waited_out, call.slept).hash(&mut one);
        (call.held, call.holds).hash(&mut one);
        in_half_seconds(call.awaited).hash(&mut one);
        turned_away(record, call, slot).hash(&mut one);
        match &call.outcome {
            // The message may hold addresses.
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
            stripped(&panic.message).hash(&mut hasher);
        }
    }
    (record.early_timeout, record.background_steps).hash(&mut hasher);
    (record.early_sleep, record.readings > 0).hash(&mut hasher);
    (record.background_waited, record.threads, record.quiescent).hash(&mut hasher);
    record.callers_in_background.hash(&mut hasher);
    if let Some(under_way) = under_way(record, slot) {
        let of_call = |it: &&CallRecord| name_of(it.thread, it.call, slot);
        let calls = record.calls.iter();
        let seen = calls.filter(|it| of_call(it).is_some_and(|name| under_way.contains(&name)));
        let seen: u64 = seen.fold(0, |all, call| {
            let mut one = FoldHash::default();
            (of_call(&call), steps_of_call(record, call)).hash(&mut one);
            all.wrapping_add(one.finish())
        });
        (under_way.len(), seen).hash(&mut hasher);
    }
    slot.ends_at_once().hash(&mut hasher);
    let beside = BesideCalls::of(record, slot);
    (
        beside.background_threads,
        beside.background_steps,
        beside.time_passed,
        beside.polls_in_wake,
    )
        .hash(&mut hasher);
    (
        beside.settling > 0,
        BesideCalls::is_unsettled(beside.settling),
    )
        .hash(&mut hasher);
    held_counts::looked_at(record).hash(&mut hasher);
    record.schedule.visible.is_empty().hash(&mut hasher);
    // Then the order of calls counts for less.
    record.writes.stale().next().is_some().hash(&mut hasher);
    record.writes.spurious.is_empty().hash(&mut hasher);
    let mut unowned: Vec<(usize, bool)> = (record.unowned.iter())
        .map(|block| (block.size, block.held))
        .collect();
    sorted::sort(&mut unowned);
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
                thread.waits_for.hash(&mut hasher);
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

/// A hash of what callers saw: results, panics and how it ended, whatever came before what.
pub(super) fn results_key(record: &ExecutionRecord, slot: &TestSlot) -> u64 {
    let mut calls = 0_u64;
    for call in &record.calls {
        let mut one = FoldHash::default();
        name_of(call.thread, call.call, slot).hash(&mut one);
        match &call.outcome {
            Outcome::Panicked(..) => "panicked".hash(&mut one),
            outcome => outcome.hash(&mut one),
        }
        calls = calls.wrapping_add(one.finish());
    }
    let mut hasher = FoldHash::default();
    calls.hash(&mut hasher);
    std::mem::discriminant(&record.ending).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::History;
    use contest_data::rng::Rng;
    use contest_data::test::{CallName, TestShape};
    use contest_data::trace::{
        Action, AwaitEnd, BlockedThread, CallRecord, Event, ObjectId, POLLED_IN_WAKE, WaitsFor,
    };
    use std::collections::HashMap;
    use std::time::Duration;

    /// Two lanes with two calls each.
    fn shape() -> TestShape {
        TestShape {
            objects: 1,
            prefix: 0,
            lanes: vec![2, 2],
            observers: 0,
        }
    }

    fn slot() -> TestSlot {
        let slot = TestSlot::default();
        slot.reset(2);
        slot.set_thread(0, 1);
        slot.set_thread(1, 2);
        slot
    }

    fn blocked(rng: &mut Rng) -> Vec<BlockedThread> {
        let ready = rng.coin();
        vec![BlockedThread {
            thread: ThreadIndex(1),
            name: String::new(),
            object: ObjectId::NONE,
            waits_for: WaitsFor::Wake {
                ready,
                timers: false,
            },
            location: String::new(),
            call: Some(0),
            awaited: None,
            line: None,
        }]
    }

    /// What may happen in few calls, as often the same as not.
    fn record(rng: &mut Rng) -> ExecutionRecord {
        let mut record = ExecutionRecord::empty();
        record.threads = 3 + u16::from(rng.coin());
        for index in 0..4 + rng.below(2) {
            let (action, name, read) = match rng.below(6) {
                0 => (Action::Park(true), "park", 0),
                1 => (Action::Await, "await", AwaitEnd::PolledInWake.bits()),
                2 => (Action::Unpark, POLLED_IN_WAKE, 0),
                _ => (Action::Yield, "yield_now", 0),
            };
            record.events.push(Event {
                thread: ThreadIndex(1 + rng.below(u32::from(record.threads) - 1) as u16),
                index,
                call: None,
                action,
                object: ObjectId::NONE,
                second: ObjectId::NONE,
                location: std::panic::Location::caller(),
                name,
                read,
                wrote: 0,
            });
        }
        for thread in 1..=2 {
            let mut time = 0;
            for call in 0..2 {
                let began = time + rng.below(2);
                let ended = began + 1 + rng.below(2);
                time = ended;
                record.calls.push(CallRecord {
                    thread: ThreadIndex(thread),
                    call,
                    began,
                    ended,
                    outcome: Outcome::Returned(rng.coin().then(|| "1".to_owned())),
                    blocked: rng.below(8) == 0,
                    held: rng.below(8) == 0,
                    holds: 0,
                    waited_out: Duration::ZERO,
                    awaited: Duration::from_millis(if rng.below(256) == 0 { 1_700 } else { 0 }),
                    slept: rng.below(64) == 0,
                });
            }
        }
        record.background_steps = rng.coin();
        record.background_waited = rng.coin();
        record.callers_in_background = rng.below(8) == 0;
        record.early_timeout = rng.below(8) == 0;
        record.early_sleep = record.early_timeout && rng.coin();
        record.readings = u32::from(rng.below(16) == 0);
        if rng.below(4) == 0 {
            record.ending = Ending::Deadlock(blocked(rng));
        }
        record
    }

    /// What the judge is given, with the order of calls in place of numbers of events.
    fn given(record: &ExecutionRecord, slot: &TestSlot) -> String {
        let mut history = History::of(record, &shape(), slot);
        let calls: Vec<(CallName, u32, u32)> = history
            .lane_calls()
            .map(|(name, call)| (name, call.began, call.ended))
            .collect();
        let mut order = Vec::new();
        for (a, _, ended) in &calls {
            for (b, began, _) in &calls {
                if ended < began {
                    order.push((*a, *b));
                }
            }
        }
        for call in history.lanes.iter_mut().flatten() {
            (call.began, call.ended) = (0, 0);
            call.waited_at.clear();
            call.steps = None;
        }
        history.settling = history.settling.min(1);
        format!("{history:?} {order:?} {}", held_counts::looked_at(record))
    }

    #[test]
    fn executions_with_equal_keys_give_the_judge_the_same() {
        let (mut rng, slot) = (Rng::new(7), slot());
        let mut known: HashMap<u64, String> = HashMap::new();
        let mut again = 0;
        for _ in 0..20_000 {
            let record = record(&mut rng);
            let given = given(&record, &slot);
            match known.get(&outcome_key(&record, &slot)) {
                Some(before) => {
                    again += 1;
                    assert_eq!(*before, given);
                }
                None => drop(known.insert(outcome_key(&record, &slot), given)),
            }
        }
        assert!(again > 500, "only {again} keys came again");
    }
}
