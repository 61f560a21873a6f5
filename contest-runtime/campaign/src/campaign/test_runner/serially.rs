//! Serial orders of a test, and executions beside background threads that they are compared with.

use std::hash::{Hash, Hasher};
use std::time::Duration;

use super::{Exploring, Observe, TestRunner};
use crate::campaign::left_behind::{is_nothing, only_in_memory};
use crate::generate::in_order;
use crate::judge::{History, Interleavings, RunSerially, SerialRun};
use contest_data::circumstances::Circumstances;
use contest_data::decision::Strategy;
use contest_data::fold_hash::FoldHash;
use contest_data::test::{
    ConcurrentTest, MainCall, RunnableTest, Split, StateOf, TestCall, TestObject, TestShape,
};
use contest_data::trace::{Ending, Outcome, Schedule, ThreadIndex};
use contest_search::explore::{Budget, Explorer, Replay, Serial, Waits};

/// Executions of one order of calls that show what mostly happens beside background threads.
const SOME_BESIDE_TASKS: u64 = 24;
/// What all interleavings of one order of calls with background threads may cost.
const ALL_BESIDE_TASKS: Budget = Budget {
    executions: 5_000,
    time: Duration::from_millis(300),
    minimum: 0,
};
/// They are not tried again for a subject for which they were so often too many.
const OFTEN: u32 = 2;

impl RunSerially for TestRunner<'_> {
    fn run_beside_tasks(
        &mut self,
        test: &RunnableTest,
        interleavings: Interleavings,
        seen: &mut dyn FnMut(History),
    ) -> bool {
        let all = interleavings == Interleavings::All;
        let too_many = self.too_many.get(test.subject.name);
        if all && too_many.is_some_and(|&times| times >= OFTEN) {
            return false;
        }
        let (strategy, budget) = match interleavings {
            Interleavings::Some => ("portfolio", Budget::executions(SOME_BESIDE_TASKS)),
            Interleavings::All => {
                let time = ALL_BESIDE_TASKS.time * self.patience;
                let budget = Budget {
                    time,
                    ..ALL_BESIDE_TASKS
                };
                ("dpor", budget)
            }
        };
        let explorer = Explorer::new(strategy, 0, budget);
        let mut explorer = explorer.expect("there is a strategy of this name");
        let shape = TestShape::of(test);
        let (mut complete, slot) = (true, self.slot());
        loop {
            let mut run = Exploring::of(self, test);
            let Some(record) = explorer.next(&mut run) else {
                break;
            };
            if record.ending == Ending::Abandoned {
                continue;
            }
            complete &= record.contended.is_empty();
            seen(History::of(record, &shape, &slot));
        }
        let exhausted = explorer.exhausted();
        if all && !exhausted {
            *self.too_many.entry(test.subject.name).or_default() += 1;
        }
        complete && exhausted
    }

    fn set_background_first(&mut self, on: bool) {
        self.background_first = on;
    }

    fn set_waits(&mut self, waits: Waits) {
        self.waits = waits;
    }

    fn set_circumstances(&mut self, circumstances: Circumstances) -> Circumstances {
        self.places = circumstances.places;
        self.engine.set_circumstances(circumstances)
    }

    fn state_after(&mut self, test: &RunnableTest, calls: &[TestCall], of: StateOf) -> Option<u64> {
        let whole = test.undisturbed();
        let calls = whole.test.prefix.iter().chain(calls);
        if !in_order(whole.subject, calls.clone()) {
            return None;
        }
        let mut hasher = FoldHash::default();
        // What `Debug` shows is shown of the first object.
        for first in 0..whole.test.objects.len() {
            let place = |object: u8| match usize::from(object) {
                0 => first as u8,
                it if it == first => 0,
                _ => object,
            };
            let mut objects = whole.test.objects.clone();
            objects.swap(0, first);
            let prefix = calls.clone().map(|call| TestCall {
                object: place(call.object),
                ..call.clone()
            });
            let mut test = in_one_thread(&whole, objects, prefix.collect());
            test.state = Some(of);
            state_of(self, &test)?.hash(&mut hasher);
        }
        Some(hasher.finish())
    }

    fn only_reads(&mut self, test: &RunnableTest, calls: &[TestCall]) -> Option<bool> {
        // Without it nothing is known of what is no lock and no atomic.
        self.watches?;
        let whole = test.undisturbed();
        let calls = whole.test.prefix.iter().chain(calls);
        if !in_order(whole.subject, calls.clone()) {
            return None;
        }
        let test = in_one_thread(&whole, whole.test.objects.clone(), calls.cloned().collect());
        let last = test.test.prefix.len().checked_sub(1)?;
        let number = TestShape::of(&test).number(MainCall::Prefix(last));
        self.symbolise_fields(Some(number + 1));
        let ended = run_alone(self, &test);
        self.symbolise_fields(None);
        let record = self.record();
        let of_main = |thread, call| thread == ThreadIndex::MAIN && usize::from(call) == number;
        let mut calls = record.calls.iter();
        let call = calls
            .find(|it| of_main(it.thread, it.call))
            .filter(|_| ended)?;
        let events = record.events.iter();
        let events = events.filter(|it| it.call.is_some_and(|call| of_main(it.thread, call)));
        Some(is_nothing(events) && !self.engine.wrote_to_older(call.thread, call.began))
    }

    fn run_again(&mut self, test: &RunnableTest, schedule: &Schedule) -> Option<History> {
        let mut strategy = Replay::new(schedule.clone());
        strategy.begin();
        let record = self.run(test, &mut strategy, &schedule.visible);
        strategy.end(record);
        let slot = self.slot();
        let history = History::of(self.record(), &TestShape::of(test), &slot);
        strategy.divergence().is_none().then_some(history)
    }

    fn run_serially(&mut self, test: &RunnableTest, order: &[u8], split: &Split) -> SerialRun {
        let mut strategy = Serial::new(self.slot())
            .background_first(self.background_first)
            .waits(self.waits);
        strategy.set_order(order, split);
        strategy.begin();
        let slot = self.slot();
        let test = &*test.undisturbed();
        // What one call after another does is compared with, not judged.
        self.watch(false);
        self.run_to(Observe::IfNew, test, &mut strategy, &[]);
        self.watch(true);
        if let (Some(state), true) = self.reached() {
            let calls = self.final_states.calls(state, self.engine.record());
            self.engine.add_calls(calls);
        }
        let record = self.engine.record();
        SerialRun {
            order: order.to_vec(),
            history: History::of(record, &TestShape::of(test), &slot),
            overlapped: strategy.overlapped(),
            panics: record
                .panics
                .iter()
                .map(|panic| panic.location.clone())
                .collect(),
        }
    }
}

/// The test of these calls, one after another, whose objects are kept.
fn in_one_thread(
    test: &RunnableTest,
    objects: Vec<TestObject>,
    prefix: Vec<TestCall>,
) -> RunnableTest {
    RunnableTest {
        subject: test.subject,
        test: ConcurrentTest {
            subject: test.test.subject,
            objects,
            prefix,
            threads: Vec::new(),
        },
        observers: Vec::new(),
        drops: false,
        state: None,
    }
}

/// The state of the first object, or of memory, after the prefix of a test without lanes.
fn state_of(runner: &mut TestRunner<'_>, test: &RunnableTest) -> Option<u64> {
    let slot = runner.slot();
    match (run_alone(runner, test), slot.state()) {
        (false, _) => None,
        (true, Some(state)) => Some(state),
        (true, None) if only_in_memory(&runner.record().events) => runner.left_in_memory().ok(),
        (true, None) => None,
    }
}

impl TestRunner<'_> {
    /// How these calls end, one after another, if the test has no lanes and all of them return.
    pub(in crate::campaign) fn outcomes_of(
        &mut self,
        test: &RunnableTest,
        calls: &[TestCall],
    ) -> Option<Vec<Outcome>> {
        if !in_order(test.subject, calls) {
            return None;
        }
        let test = in_one_thread(test, test.test.objects.clone(), calls.to_vec());
        if !run_alone(self, &test) {
            return None;
        }
        let shape = TestShape::of(&test);
        let record = self.record();
        let of = |call: usize| {
            let number = shape.number(MainCall::Prefix(call));
            let mut calls = record.calls.iter();
            let call =
                calls.find(|it| it.thread == ThreadIndex::MAIN && usize::from(it.call) == number);
            call.map(|it| it.outcome.clone())
        };
        (0..calls.len()).map(of).collect()
    }
}

/// Runs the prefix of a test without lanes. True if all its calls returned.
fn run_alone(runner: &mut TestRunner<'_>, test: &RunnableTest) -> bool {
    let mut strategy = Serial::new(runner.slot());
    strategy.set_order(&[], &Split::new());
    runner.watch(false);
    strategy.begin();
    runner.run(test, &mut strategy, &[]);
    // What is in memory after it must not depend on what the process ran before.
    if runner.has_grown() {
        strategy.begin();
        runner.run(test, &mut strategy, &[]);
    }
    runner.watch(true);
    let record = runner.record();
    let mut calls = record.calls.iter();
    record.ending == Ending::Finished
        && record.panics.is_empty()
        && calls.all(|call| matches!(call.outcome, Outcome::Returned(_)))
}
