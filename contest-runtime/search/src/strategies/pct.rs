//! PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized scheduler with probabilistic guarantees of finding
//! bugs, ASPLOS 2010). Finds a bug of depth d with probability at least 1/(n k^(d-1)) in each execution.
//!
//! Deviations: only decisions with more than one alternative count as steps, which keeps k small; k is the largest
//! number seen so far, the first execution being a run without change points; a thread that yields gets the lowest
//! priority.
//!
//! A patient one goes beyond the ordinary: a yield counts for nothing, as on a machine with a processor for each
//! thread, a waiting loop goes round up to 200 times before it is held back, and a timed wait may end early. So threads
//! that spin and then park, and timeouts, meet other threads under way. It ends after some executions in which no
//! thread did any of this.

use contest_data::decision::{Choice, DecisionPoint, Strategy};
use contest_data::limits::Leeway;
use contest_data::rng::Rng;
use contest_data::trace::{ExecutionRecord, LeftOut};

/// That of a patient one.
const PATIENT: Leeway = Leeway {
    early_ends: 1,
    rounds: 200,
    ..Leeway::NONE
};

/// Executions of a patient one before it ends where it is not needed.
const TRIALS: u32 = 16;

/// PCT with a bug depth.
#[derive(Clone, Debug)]
pub struct Pct {
    rng: Rng,
    depth: u32,
    left: u64,
    longest: u32,
    step: u32,
    patience: Option<Patience>,
    /// Steps at which a priority drops, and to what.
    changes: Vec<(u32, i64)>,
    /// Priorities by thread; higher goes first.
    priorities: Vec<i64>,
    lowest: i64,
}

/// What makes it patient.
#[derive(Clone, Debug, Default)]
struct Patience {
    executions: u32,
    /// A thread yielded, went round a waiting loop, or waited with a time limit.
    is_needed: bool,
    /// Yields of the present execution that still count for nothing.
    unheeded: u8,
}

impl Patience {
    /// An execution begins, unless those before did not need patience.
    fn begins(&mut self) -> bool {
        self.executions = self.executions.saturating_add(1);
        self.unheeded = PATIENT.rounds;
        self.is_needed || self.executions <= TRIALS
    }

    /// A thread yields.
    fn heeds_yield(&mut self) -> bool {
        self.is_needed = true;
        let heeds = self.unheeded == 0;
        self.unheeded = self.unheeded.saturating_sub(1);
        heeds
    }
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
            patience: None,
            changes: Vec::new(),
            priorities: Vec::new(),
            lowest: 0,
        }
    }

    /// A patient one.
    #[must_use]
    pub fn patient(seed: u64, depth: u32, executions: u64) -> Self {
        let patience = Some(Patience::default());
        Self {
            patience,
            ..Self::new(seed, depth, executions)
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
        let patience = self.patience.as_mut();
        if self.left == 0 || !patience.is_none_or(Patience::begins) {
            return false;
        }
        self.left -= 1;
        self.step = 0;
        self.lowest = 0;
        self.priorities.clear();
        self.changes.clear();
        if self.longest > 0 {
            // Change points within executions that were short by chance would keep all others short, too.
            let depth = match self.patience {
                Some(_) => 1 + self.rng.below(self.depth),
                None => self.depth,
            };
            for priority in 1..depth {
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
        if let Some(patience) = &mut self.patience {
            patience.is_needed |= !point.timed.is_empty();
        }
        let heeds = Patience::heeds_yield;
        if point.yielded && self.patience.as_mut().is_none_or(heeds) {
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

    fn leeway(&self) -> Leeway {
        let patient = self.patience.is_some();
        if patient { PATIENT } else { Leeway::NONE }
    }

    fn end(&mut self, record: &ExecutionRecord) {
        self.longest = self.longest.max(self.step);
        if let Some(patience) = &mut self.patience {
            let left_out = record.left_out;
            patience.is_needed |= left_out.has(LeftOut::LOOPS) || left_out.has(LeftOut::EARLY_ENDS);
        }
    }
}
