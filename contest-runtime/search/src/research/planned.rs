//! Follows one planned schedule, then continues without preemption.

use super::predict::{Follower, PlannedSchedule};
use crate::strategies::without_preemption;
use contest_data::decision::{Choice, DecisionPoint, Strategy};
use contest_data::trace::ExecutionRecord;

/// Runs one execution by a plan.
#[derive(Clone, Debug, Default)]
pub struct Planned {
    follower: Follower,
    left: bool,
}

impl Planned {
    /// By this plan, once.
    #[must_use]
    pub fn new(plan: PlannedSchedule) -> Self {
        let mut follower = Follower::default();
        follower.start(plan);
        Self {
            follower,
            left: true,
        }
    }

    /// The state of the plan.
    #[must_use]
    pub fn follower(&self) -> &Follower {
        &self.follower
    }
}

impl Strategy for Planned {
    fn begin(&mut self) -> bool {
        std::mem::take(&mut self.left)
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        let planned = self.follower.next(point);
        Choice::Run(planned.unwrap_or_else(|| without_preemption(point, point.enabled)))
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        self.follower.value(alternatives).unwrap_or(0)
    }

    fn seed(&mut self) -> u64 {
        0
    }

    fn end(&mut self, record: &ExecutionRecord) {
        self.follower.end(&record.events);
    }
}
