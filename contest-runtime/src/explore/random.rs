//! Random walk: uniform over the threads that can run.

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

/// One of the members, each as likely; the only one without a number drawn.
pub(crate) fn any(set: ThreadSet, rng: &mut Rng) -> ThreadIndex {
    let low = set.mask();
    if set != ThreadSet::of_mask(low) {
        return set.member(rng.below(set.len()));
    }
    if !set.has_several() {
        return set.lowest();
    }
    any_of(low, rng)
}

/// As [`any`], of at least two members among the first 64 threads.
#[inline(always)]
pub(crate) fn any_of(set: u64, rng: &mut Rng) -> ThreadIndex {
    let rest = set & set.wrapping_sub(1);
    if rest & rest.wrapping_sub(1) != 0 {
        return any_of_many(set, rng);
    }
    // Two, as nearly always.
    let chosen = if rng.coin() { rest } else { set };
    ThreadIndex(chosen.trailing_zeros() as u16)
}

#[inline(never)]
fn any_of_many(set: u64, rng: &mut Rng) -> ThreadIndex {
    // Walking over the members is faster than counting bits where the processor has no instruction for it.
    let mut count = 0;
    let mut rest = set;
    while rest != 0 {
        rest &= rest - 1;
        count += 1;
    }
    rest = set;
    for _ in 0..rng.below(count) {
        rest &= rest - 1;
    }
    ThreadIndex(rest.trailing_zeros() as u16)
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

    fn asks_when_forced(&self) -> bool {
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
