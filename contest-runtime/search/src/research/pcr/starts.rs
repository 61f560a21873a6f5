//! The executions that PCR starts from.
//!
//! A random walk mixes the threads so finely that little of it can be reordered: the values that a counter returned fix
//! nearly every step. So the first execution is serial except for one preemption, the next ones are serial in either
//! order, and random walks come last.

use crate::strategies::without_preemption;
use contest_data::decision::DecisionPoint;
use contest_data::rng::Rng;
use contest_data::trace::ThreadIndex;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// Serial, but the first thread is preempted once, at each step with a chance of one in so many.
    #[default]
    Preempted,
    /// The threads one after another.
    InOrder,
    /// The last thread first.
    Reversed,
    /// Uniform.
    Walk,
}

/// Schedules one starting execution after another.
#[derive(Clone, Debug, Default)]
pub(super) struct Starts {
    done: u64,
    kind: Kind,
    chance: u32,
    preempted: bool,
}

/// Planned executions before the second start, and before the third.
const BEFORE_SERIAL: [u64; 2] = [6, 12];
/// Planned executions between later starts: a plan stays near the execution it is made from.
const BEFORE_ANOTHER: u64 = 24;
/// Chance of the preemption in the first execution: one in so many steps.
const FIRST_CHANCE: u32 = 4;

impl Starts {
    /// True if another starting execution is due although plans are left.
    pub(super) fn is_due(&self, planned: u64) -> bool {
        match self.done {
            0 => true,
            1 | 2 => planned >= BEFORE_SERIAL[self.done as usize - 1],
            done => planned >= BEFORE_SERIAL[1] + (done - 2) * BEFORE_ANOTHER,
        }
    }

    /// Chooses the kind of the next one.
    pub(super) fn begin(&mut self, rng: &mut Rng) {
        self.preempted = false;
        self.chance = FIRST_CHANCE;
        self.kind = match self.done {
            0 => Kind::Preempted,
            1 => Kind::InOrder,
            2 => Kind::Reversed,
            done if done % 2 == 1 => Kind::Walk,
            _ => {
                self.chance = 2 << rng.below(7);
                Kind::Preempted
            }
        };
        self.done += 1;
    }

    /// The next thread.
    pub(super) fn thread(&mut self, point: &DecisionPoint<'_>, rng: &mut Rng) -> ThreadIndex {
        let set = point.enabled;
        if !set.has_several() {
            return set.lowest();
        }
        let others = set.without(point.current);
        let lanes = others.without(ThreadIndex::MAIN);
        match self.kind {
            Kind::Walk => set.member(rng.below(set.len())),
            Kind::InOrder => without_preemption(point, point.enabled),
            Kind::Reversed if set.contains(point.current) && !point.yielded => point.current,
            Kind::Reversed => others.last().unwrap_or(point.current),
            Kind::Preempted => {
                let stays = set.contains(point.current) && !point.yielded;
                let is_lane = point.current != ThreadIndex::MAIN && !lanes.is_empty();
                if stays && is_lane && !self.preempted && rng.below(self.chance) == 0 {
                    self.preempted = true;
                } else if stays {
                    return point.current;
                }
                let lanes = if lanes.is_empty() { others } else { lanes };
                lanes.member(rng.below(lanes.len()))
            }
        }
    }
}
