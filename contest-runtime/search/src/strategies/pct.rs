//! PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized scheduler with probabilistic guarantees of finding
//! bugs, ASPLOS 2010). Finds a bug of depth d with probability at least 1/(n k^(d-1)) in each execution.
//!
//! Deviations: only decisions with more than one alternative count as steps, which keeps k small; k is the largest
//! number seen so far, the first execution being a run without change points; a thread that yields gets the lowest
//! priority.

use contest_data::decision::{Choice, DecisionPoint, Strategy};
use contest_data::rng::Rng;
use contest_data::trace::ExecutionRecord;

/// PCT with a bug depth.
#[derive(Clone, Debug)]
pub struct Pct {
    rng: Rng,
    depth: u32,
    left: u64,
    longest: u32,
    step: u32,
    /// Steps at which a priority drops, and to what.
    changes: Vec<(u32, i64)>,
    /// Priorities by thread; higher goes first.
    priorities: Vec<i64>,
    lowest: i64,
}

impl Pct {
    /// For bugs of this depth (number of ordering constraints; at least 1), for at most this many executions.
    #[must_use]
    pub fn new(seed: u64, depth: u32, executions: u64) -> Self {
        Self {
            rng: Rng::new(seed),
            depth: depth.max(1),
            left: executions,
            longest: 0,
            step: 0,
            changes: Vec::new(),
            priorities: Vec::new(),
            lowest: 0,
        }
    }

    /// Gives threads seen for the first time a place among those with an initial priority.
    fn admit(&mut self, threads: usize) {
        while self.priorities.len() < threads {
            // Initial priorities are random and above all change priorities, so that their order is a random
            // permutation.
            let priority = i64::from(self.depth) + (self.rng.bits() >> 2) as i64;
            self.priorities.push(priority);
        }
    }
}

impl Strategy for Pct {
    fn begin(&mut self) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.step = 0;
        self.lowest = 0;
        self.priorities.clear();
        self.changes.clear();
        if self.longest > 0 {
            for priority in 1..self.depth {
                let step = 1 + self.rng.below(self.longest);
                self.changes.push((step, i64::from(priority)));
            }
        }
        true
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        let set = point.enabled;
        if !set.has_several() {
            return Choice::Run(set.lowest());
        }
        self.admit(point.pending.len());
        if point.yielded {
            self.lowest -= 1;
            self.priorities[point.current.index()] = self.lowest;
        }
        self.step += 1;
        let mut best = set.lowest();
        for thread in set.rest() {
            if self.priorities[thread.index()] > self.priorities[best.index()] {
                best = thread;
            }
        }
        let step = self.step;
        if let Some(&(_, priority)) = self.changes.iter().find(|(at, _)| *at == step) {
            self.priorities[best.index()] = priority;
        }
        Choice::Run(best)
    }

    fn needs_forced_points(&self) -> bool {
        false
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        self.rng.below(u32::from(alternatives)) as u16
    }

    fn seed(&mut self) -> u64 {
        self.rng.bits()
    }

    fn end(&mut self, _record: &ExecutionRecord) {
        self.longest = self.longest.max(self.step);
    }
}
