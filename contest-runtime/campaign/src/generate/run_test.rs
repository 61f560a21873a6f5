//! A concurrent test as the body of an execution.
//!
//! The main virtual thread makes the objects, runs the prefix, starts a virtual thread for each lane, joins them, looks
//! at the objects with the observers and drops them. What the calls came back with is handed to the engine at once: in
//! a driver everything allocated here lies in an arena that is forgotten after the execution.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use contest_data::subject::{Call, Object, Receiver, Response, Subject};
use contest_data::test::{MAX_LANES, RunnableTest, StateOf, TestSlot};
use contest_data::test::{MainCall, TestCall, TestShape};
use contest_data::trace::{ExecutionRecord, Outcome};
use contest_engine::execution::{Active, active};
use contest_engine::observe::{panic_message, take_count, with_count};

/// The test as the body of one execution; the slot says afterwards which virtual thread ran which lane. When the lanes
/// have ended, `known` is given the record so far and the engine's knowledge ([`Active::at_final_state`]). If it
/// returns true, the objects are neither observed nor dropped.
pub(crate) fn body<'a>(
    slot: &'a Rc<TestSlot>,
    test: &'a RunnableTest,
    known: impl FnOnce(&ExecutionRecord, Option<u64>) -> bool + 'a,
) -> impl FnOnce() + 'a {
    slot.reset(test.test.threads.len());
    move || {
        if let Some(active) = active() {
            run(slot, test, active, known);
        }
    }
}

fn run(
    slot: &Rc<TestSlot>,
    test: &RunnableTest,
    active: Active,
    known: impl FnOnce(&ExecutionRecord, Option<u64>) -> bool,
) {
    let shape = TestShape::of(test);
    let RunnableTest {
        subject,
        test,
        observers,
        drops,
        state,
    } = test;
    let subject: &'static Subject = subject;
    let mut objects = Vec::with_capacity(test.objects.len());
    for (index, made) in test.objects.iter().enumerate() {
        let constructor = &subject.constructors[usize::from(made.constructor)];
        let call = Call {
            objects: &[],
            receiver: 0,
            choices: &made.choices,
        };
        let object = attempt(active, shape.number(MainCall::Object(index)), || {
            ((constructor.make)(&call), None)
        });
        match object {
            Some(object) => objects.push(object),
            None => return,
        }
    }
    let objects = Rc::new(objects);
    for (index, call) in test.prefix.iter().enumerate() {
        if !run_call(
            active,
            subject,
            &objects,
            call,
            shape.number(MainCall::Prefix(index)),
        ) {
            return;
        }
    }
    slot.set_prefix_done();
    if *drops && active.has_background_threads() {
        slot.choose_end(|| active.choose(2) == 1);
    }
    let mut threads = Vec::with_capacity(test.threads.len());
    for (lane, calls) in test.threads.iter().enumerate() {
        // A copy in the memory of the execution, which the virtual thread owns.
        let calls = calls.clone();
        let objects = Rc::clone(&objects);
        let in_lane = Rc::clone(slot);
        let deep = active.circumstances().places % DEEPEST;
        let thread = active.spawn_owned(Some(LANE_NAMES[lane]), move || {
            deeper(deep, &mut || {
                for (number, call) in calls.iter().enumerate() {
                    if !run_call(active, subject, &objects, call, number) {
                        in_lane.set_panicked();
                        break;
                    }
                }
            });
            active.lane_end();
        });
        slot.set_thread(lane, thread.0);
        threads.push(thread);
    }
    for thread in threads {
        active.join(thread);
    }
    // After a panic nothing is compared any more, and a poisoned object would only panic again.
    let goes_on = !slot.panicked();
    if goes_on && active.at_final_state(known) {
        std::mem::forget(objects);
        return;
    }
    let run_all = |mut calls: Range<usize>| {
        calls.all(|index| {
            let number = shape.number(MainCall::Observer(index));
            run_call(active, subject, &objects, &observers[index], number)
        })
    };
    // The last calls take the objects away.
    let ends = |call: &TestCall| {
        subject.operations[usize::from(call.operation)].receiver == Receiver::Whole
    };
    let looks = observers.iter().position(ends).unwrap_or(observers.len());
    let goes_on = goes_on && (slot.ends_at_once() || run_all(0..looks));
    if *state == Some(StateOf::Object) {
        slot.set_state(state_of(subject, &objects));
    }
    if goes_on {
        run_all(looks..observers.len());
    }
    if !drops {
        std::mem::forget(objects);
        return;
    }
    attempt(active, shape.number(MainCall::Drop), || {
        (drop(objects), None)
    });
}

/// Most calls below the calls of a lane, and one more.
const DEEPEST: u64 = 16;

/// Calls `then` so many calls deeper in the stack: what lies there has other addresses.
fn deeper(calls: u64, then: &mut dyn FnMut()) {
    if calls == 0 {
        return then();
    }
    let below = black_box([0_u64; 4]);
    deeper(calls - 1, then);
    black_box(below);
}

/// A hash of the first object's state.
fn state_of(subject: &'static Subject, objects: &[Object]) -> Option<u64> {
    let call = Call {
        objects,
        receiver: 0,
        choices: &[],
    };
    let text = catch_unwind(AssertUnwindSafe(|| (subject.state?)(&call))).ok()??;
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    Some(hasher.finish())
}

const LANE_NAMES: [&str; MAX_LANES] = [
    "thread 1", "thread 2", "thread 3", "thread 4", "thread 5", "thread 6", "thread 7", "thread 8",
];

/// Runs one call; false if it panicked.
fn run_call(
    active: Active,
    subject: &'static Subject,
    objects: &[Object],
    call: &TestCall,
    number: usize,
) -> bool {
    let operation = &subject.operations[usize::from(call.operation)];
    let given = Call {
        objects,
        receiver: usize::from(call.object),
        choices: &call.choices,
    };
    attempt(active, number, || {
        take_count();
        let response = (operation.call)(&given);
        ((), with_count(response, take_count()))
    })
    .is_some()
}

/// Runs `f` as the call with this number and records what it came back with.
fn attempt<R>(active: Active, number: usize, f: impl FnOnce() -> (R, Response)) -> Option<R> {
    active.call_begin(u16::try_from(number).unwrap_or(u16::MAX));
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok((value, response)) => {
            active.call_end(&Outcome::Returned(response));
            Some(value)
        }
        Err(payload) => {
            // The location is known to the engine's panic hook; the judge takes it from there.
            active.call_end(&Outcome::Panicked(panic_message(&*payload), String::new()));
            // Dropping what the code under test threw is one more call of its code.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(payload)));
            None
        }
    }
}
