//! Whether one test of a pair fails without the other: its threads run once more in the order in which they ran in the
//! pair, as far as that is possible, and the other test does not.

use std::collections::VecDeque;

use contest_data::decision::{Choice, DecisionPoint, Strategy};
use contest_data::delay::{Delay, DelayPoint};
use contest_data::limits::Leeway;
use contest_data::trace::{Action, Decision, ExecutionRecord, ThreadIndex};

/// Numbers of sixteen bits that make up a seed.
const PARTS_OF_SEED: usize = 4;

/// The order of the threads of one test, by the numbers that they have where it runs by itself.
#[derive(Clone, Debug)]
pub(super) struct Alone {
    order: VecDeque<ThreadIndex>,
    seed: u64,
    leeway: Leeway,
}

impl Alone {
    /// Of an execution of a pair; `number` is 0 for the test that is started first, 1 for the other one. `None` if it
    /// was not started.
    pub(super) fn of(record: &ExecutionRecord, number: usize) -> Option<Self> {
        let started = record.events.iter().filter_map(|event| match event.action {
            Action::Spawn(thread) if event.thread == ThreadIndex::MAIN => Some(thread),
            _ => None,
        });
        // By itself, the test runs in the main thread.
        let mut threads: Vec<ThreadIndex> = vec![started.into_iter().nth(number)?];
        let mut order = VecDeque::new();
        let mut leeway = record.schedule.leeway;
        let mut held_up = None;
        for (step, event) in (0..).zip(&record.events) {
            let Some(own) = threads.iter().position(|it| *it == event.thread) else {
                continue;
            };
            if let Some(DelayPoint::Step(at, _)) = leeway.delay.map(|it| it.at)
                && at == step
            {
                held_up = Some(DelayPoint::Step(order.len() as u32, own as u8));
            }
            if let Action::Spawn(thread) = event.action {
                threads.push(thread);
            }
            // By itself, the test has no visible memory yet.
            if !matches!(event.action, Action::PlainRead | Action::PlainWrite) {
                order.push_back(ThreadIndex(own as u16));
            }
        }
        leeway.delay = leeway.delay.and_then(|delay| {
            // A thread of the other test is not held up here.
            let at = match delay.at {
                DelayPoint::Step(..) => held_up?,
                other => other,
            };
            Some(Delay { at, ..delay })
        });
        // Drawn in one go where code asks for the first random number; a guess where others come before.
        let values = record.schedule.decisions.iter().map(|it| match it {
            Decision::Value(value) => Some(*value),
            Decision::Thread(_) => None,
        });
        let values: Vec<Option<u16>> = values.collect();
        let mut seeds = values.windows(PARTS_OF_SEED);
        let seed = seeds.find_map(|parts| parts.iter().copied().collect::<Option<Vec<u16>>>());
        let seed = (0..).zip(seed.unwrap_or_default());
        Some(Self {
            order,
            seed: seed.fold(0, |all, (part, value)| {
                all | u64::from(value) << (16 * part)
            }),
            leeway,
        })
    }
}

impl Strategy for Alone {
    fn begin(&mut self) -> bool {
        !self.order.is_empty()
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        let set = point.enabled;
        // By itself, a thread may come to its end in fewer steps.
        let has_ended =
            |it: &ThreadIndex| point.pending.get(it.index()).is_some_and(Option::is_none);
        while self.order.front().is_some_and(has_ended) {
            self.order.pop_front();
        }
        if let Some(next) = self.order.front().copied()
            && set.contains(next)
        {
            self.order.pop_front();
            return Choice::Run(next);
        }
        if set.contains(point.current) && !point.yielded {
            return Choice::Run(point.current);
        }
        let others = set.without(point.current);
        Choice::Run(others.first().unwrap_or(set.lowest()))
    }

    fn value(&mut self, _alternatives: u16) -> u16 {
        0
    }

    fn leeway(&self) -> Leeway {
        self.leeway
    }

    fn seed(&mut self) -> u64 {
        self.seed
    }

    fn end(&mut self, _record: &ExecutionRecord) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_data::trace::{Event, ObjectId};

    /// A step of a thread.
    fn step(thread: u16, action: Action) -> Event {
        Event {
            thread: ThreadIndex(thread),
            index: 0,
            call: None,
            action,
            object: ObjectId::NONE,
            second: ObjectId::NONE,
            location: std::panic::Location::caller(),
            name: "step",
            read: 0,
            wrote: 0,
        }
    }

    #[test]
    fn each_test_of_a_pair_has_its_own_threads_in_their_order() {
        let spawns = |by: u16, thread: u16| step(by, Action::Spawn(ThreadIndex(thread)));
        let other = |thread: u16| step(thread, Action::Yield);
        let mut record = ExecutionRecord::empty();
        record.events = vec![
            spawns(0, 1),
            spawns(0, 2),
            other(2),
            spawns(1, 3),
            step(1, Action::PlainRead),
            other(3),
            spawns(2, 4),
            other(1),
            other(4),
        ];
        record.schedule.leeway.delay = Some(Delay::at(DelayPoint::Step(7, 1)));
        let alone = |number: usize| {
            let alone = Alone::of(&record, number)?;
            let order: Vec<u16> = alone.order.iter().map(|it| it.0).collect();
            Some((order, alone.leeway.delay.map(|it| it.at)))
        };
        let held_up = Some(DelayPoint::Step(2, 0));
        assert_eq!(alone(0), Some((vec![0, 1, 0], held_up)));
        // It is not one of its threads that is late.
        assert_eq!(alone(1), Some((vec![0, 0, 1], None)));
        assert_eq!(alone(2), None);
    }
}
