//! A test whose threads have a past: they have made the same calls on other objects before. What threads keep for
//! themselves, such as a generator of random numbers, is then in another state than in fresh threads.

use super::history::{History, Observed};
use super::serial_outcomes::{SerialOutcomes, SerialRun};
use contest_data::test::{CallName, MainCall, RunnableTest, Split, TestCall, TestShape};

/// Such a test, and the order of its calls.
#[derive(Debug)]
pub(super) struct Rehearsed {
    pub test: RunnableTest,
    pub order: Vec<u8>,
    pub split: Split,
    /// Calls that each lane makes before.
    before: Vec<usize>,
    /// How often objects and prefix are there before.
    copies: usize,
}

/// Who makes the calls on other objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By<'a> {
    /// Each thread its own, so many times.
    Threads(&'a [u8]),
    /// The main thread all of them, so many times: what threads keep for themselves is fresh.
    Main(u8),
}

impl Rehearsed {
    /// The test, whose calls were made before in this order; `None` if there are too many objects.
    pub(super) fn of(
        test: &RunnableTest,
        outcomes: &SerialOutcomes,
        order: &[u8],
        by: By<'_>,
    ) -> Option<Self> {
        let rounds = |lane: usize| match by {
            By::Threads(rounds) => rounds.get(lane).copied().unwrap_or(0),
            By::Main(_) => 0,
        };
        let lanes = test.test.threads.len();
        let copies = match by {
            By::Threads(_) => (0..lanes).map(rounds).max().unwrap_or(0),
            By::Main(rounds) => rounds,
        };
        let copies = usize::from(copies);
        let objects = test.test.objects.len();
        u8::try_from((copies + 1) * objects).ok()?;
        let on = |copy: usize, call: &TestCall| {
            let moved = (copy * objects) as u8;
            let mut call = call.clone();
            call.object += moved;
            let operation = &test.subject.operations[usize::from(call.operation)];
            for (choice, argument) in call.choices.iter_mut().zip(operation.arguments) {
                *choice += if argument.object { moved } else { 0 };
            }
            call
        };
        let calls = outcomes.calls_of(order);
        let mut rehearsed = test.clone();
        let new = &mut rehearsed.test;
        new.objects = vec![test.test.objects.clone(); copies + 1].concat();
        new.prefix.clear();
        for copy in 0..=copies {
            new.prefix
                .extend(test.test.prefix.iter().map(|call| on(copy, call)));
            if copy < copies && matches!(by, By::Main(_)) {
                let calls = calls.iter();
                let made = calls.filter_map(|&(lane, number)| test.test.threads[lane].get(number));
                new.prefix.extend(made.map(|call| on(copy, call)));
            }
        }
        let mut first: Vec<u8> = Vec::new();
        for round in 0..copies {
            let takes_part = |lane: usize| usize::from(rounds(lane)) > round;
            let lanes = calls.iter().filter(|(lane, _)| takes_part(*lane));
            first.extend(lanes.map(|(lane, _)| *lane as u8));
        }
        let mut before = Vec::with_capacity(lanes);
        for (lane, own) in test.test.threads.iter().enumerate() {
            let rounds = usize::from(rounds(lane));
            let earlier = (0..rounds).flat_map(|copy| own.iter().map(move |call| (copy, call)));
            let all = earlier.chain(own.iter().map(|call| (copies, call)));
            new.threads[lane] = all.map(|(copy, call)| on(copy, call)).collect();
            before.push(rounds * own.len());
        }
        rehearsed.observers = test.observers.iter().map(|call| on(copies, call)).collect();
        let split = outcomes.split.iter().map(|(name, points)| match *name {
            CallName::Lane(lane, number) => (CallName::Lane(lane, before[lane] + number), *points),
            main @ CallName::Main(_) => (main, *points),
        });
        Some(Self {
            split: split.collect(),
            order: [&first, order].concat(),
            test: rehearsed,
            before,
            copies,
        })
    }

    /// The run as one of the test alone, in its order; `None` if it has not come to its end.
    pub(super) fn alone(
        &self,
        test: &RunnableTest,
        order: &[u8],
        run: SerialRun,
    ) -> Option<SerialRun> {
        let mut history: History = run.history;
        if history.ending != contest_data::trace::Ending::Finished || history.first_panic.is_some()
        {
            return None;
        }
        for (lane, before) in history.lanes.iter_mut().zip(&self.before) {
            lane.drain(..*before);
        }
        let (big, small) = (TestShape::of(&self.test), TestShape::of(test));
        let objects = self.copies * small.objects;
        let mut main: Vec<Observed> = history.main[objects..big.objects].to_vec();
        let observers = big.number(MainCall::Observer(0));
        main.extend_from_slice(&history.main[observers - small.prefix..]);
        history.main = main;
        let first = small.number(MainCall::Observer(0));
        history.observers = first..first + small.observers;
        history.unowned.clear();
        Some(SerialRun {
            order: order.to_vec(),
            history,
            ..run
        })
    }
}
