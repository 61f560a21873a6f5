//! POS (Yuan, Yang, Gu: Partial order aware concurrency sampling, CAV 2018): every pending operation has a random
//! priority, and operations that race with the one executed draw a new one.
//!
//! Deviation: creating and joining threads and their first steps have no priority and are executed at once.

use super::dependence::{Operation, goes_first};
use contest_data::decision::{Choice, DecisionPoint, Strategy};
use contest_data::rng::Rng;
use contest_data::trace::{ExecutionRecord, ThreadIndex};

/// Partial order sampling.
#[derive(Clone, Debug)]
pub struct Pos {
    rng: Rng,
    left: u64,
    /// Priority of each thread's pending operation; 0 = to be drawn.
    priorities: Vec<u64>,
}

impl Pos {
    /// Samples with this seed, for at most this many executions.
    #[must_use]
    pub fn new(seed: u64, executions: u64) -> Self {
        Self {
            rng: Rng::new(seed),
            left: executions,
            priorities: Vec::new(),
        }
    }
}

impl Strategy for Pos {
    fn begin(&mut self) -> bool {
        self.priorities.clear();
        let more = self.left > 0;
        self.left = self.left.saturating_sub(1);
        more
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        self.priorities.resize(point.pending.len(), 0);
        if point.yielded {
            // A thread that yields comes last.
            self.priorities[point.current.index()] = 1;
        }
        let mut best: Option<ThreadIndex> = None;
        for thread in point.enabled {
            let priority = &mut self.priorities[thread.index()];
            if *priority == 0 {
                *priority = self.rng.bits() | 2;
            }
            let priority = *priority;
            if best.is_none_or(|best| priority > self.priorities[best.index()]) {
                best = Some(thread);
            }
        }
        let quiet = |thread: &ThreadIndex| {
            let pending = point.pending[thread.index()].as_ref();
            pending.is_some_and(|pending| goes_first(pending.action))
        };
        // A priority here would only favour threads that exist already.
        let Some(chosen) = point.enabled.iter().find(quiet).or(best) else {
            return Choice::Abandon;
        };
        if let Some(executed) = &point.pending[chosen.index()] {
            let executed = Operation::pending(chosen, executed, false);
            for (index, pending) in point.pending.iter().enumerate() {
                let thread = ThreadIndex(index as u16);
                if thread != chosen
                    && let Some(pending) = pending
                    && Operation::pending(thread, pending, false).depends_on(&executed)
                {
                    self.priorities[index] = 0;
                }
            }
        }
        self.priorities[chosen.index()] = 0;
        Choice::Run(chosen)
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        self.rng.below(u32::from(alternatives)) as u16
    }

    fn seed(&mut self) -> u64 {
        self.rng.bits()
    }

    fn end(&mut self, _record: &ExecutionRecord) {}
}
