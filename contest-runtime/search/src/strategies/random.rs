//! Random walk: uniform over the threads that can run.

use contest_data::decision::{Choice, DecisionPoint, Strategy, any};
use contest_data::rng::Rng;
use contest_data::trace::ExecutionRecord;

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

impl Strategy for Random {
    fn begin(&mut self) -> bool {
        let more = self.left > 0;
        self.left = self.left.saturating_sub(1);
        more
    }

    #[inline]
    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        let set = point.enabled;
        if !set.has_several() {
            return Choice::Run(set.lowest());
        }
        Choice::Run(any(set, &mut self.rng))
    }

    fn needs_forced_points(&self) -> bool {
        false
    }

    fn uniform(&mut self) -> Option<&mut Rng> {
        Some(&mut self.rng)
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        self.rng.below(u32::from(alternatives)) as u16
    }

    fn seed(&mut self) -> u64 {
        self.rng.bits()
    }

    fn end(&mut self, _record: &ExecutionRecord) {}
}
