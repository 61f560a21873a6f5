//! Whether one test of a pair fails without the other: its threads run once more in the order in which they ran in the
//! pair, as far as that is possible, and the other test does not.

use std::collections::VecDeque;

use contest_data::decision::{Choice, DecisionPoint, Strategy};
use contest_data::delay::DelayPoint;
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
        // One of the other test's threads is not held up here.
        let mut is_held_up = matches!(
            leeway.delay.map(|it| it.at),
            None | Some(DelayPoint::Reading(_))
        );
        for (step, event) in (0..).zip(&record.events) {
            let Some(own) = threads.iter().position(|it| *it == event.thread) else {
                continue;
            };
            if let Some(delay) = &mut leeway.delay
                && let Some(shown) = record.schedule.leeway.delay
                && let DelayPoint::Step(at, thread) = shown.at
                && at == step
                && u16::from(thread) == event.thread.0
            {
                delay.at = DelayPoint::Step(order.len() as u32, own as u8);
                is_held_up = true;
            }
            if let Action::Spawn(thread) = event.action {
                threads.push(thread);
            }
            // By itself, the test has no visible memory yet.
            if matches!(event.action, Action::PlainRead | Action::PlainWrite) {
                continue;
            }
            order.push_back(ThreadIndex(own as u16));
        }
        leeway.delay = leeway.delay.filter(|_| is_held_up);
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
