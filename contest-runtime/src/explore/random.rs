//! Random walk (ALGORITHMS D.1): uniform over the threads that can run.

use super::rng::Rng;
use crate::execution::{Choice, DecisionPoint, Strategy, ThreadSet};
use crate::trace::{ExecutionRecord, ThreadIndex};

/// Random walk.
#[derive(Clone, Debug)]
pub struct Random {
    rng: Rng,
    left: u64,
}

impl Random {
    /// A walk with this seed, for at most this many executions.
    #[must_use]
    pub fn new(seed: u64, executions: u64) -> Self {
        Self {
            rng: Rng::new(seed),
            left: executions,
        }
    }
}

/// Member number `index`, counting from 0, of a set.
#[inline]
pub(crate) fn member(mut set: ThreadSet, mut index: u32) -> ThreadIndex {
    if set >> 64 == 0 {
        let mut low = set as u64;
        while index > 0 {
            low &= low - 1;
            index -= 1;
        }
        return ThreadIndex(low.trailing_zeros() as u16);
    }
    for _ in 0..index {
        set &= set - 1;
    }
    ThreadIndex(set.trailing_zeros() as u16)
}

impl Strategy for Random {
    fn begin(&mut self) -> bool {
        let more = self.left > 0;
        self.left = self.left.saturating_sub(1);
        more
    }

    #[inline]
    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        let set = point.enabled;
        if set & (set - 1) == 0 {
            return Choice::Run(ThreadIndex(set.trailing_zeros() as u16));
        }
        let index = self.rng.below(set.count_ones());
        Choice::Run(member(set, index))
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        self.rng.below(u32::from(alternatives)) as u16
    }

    fn seed(&mut self) -> u64 {
        self.rng.bits()
    }

    fn end(&mut self, _record: &ExecutionRecord) {}
}
