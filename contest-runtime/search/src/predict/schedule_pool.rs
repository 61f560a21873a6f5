//! Schedules that were planned, so that none is run twice.

use super::name::Name;
use super::planned_schedule::PlannedSchedule;
use crate::coverage::fast_hash::FastSet;

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct SchedulePool {
    known: FastSet<Name>,
    repeats: u64,
}

impl SchedulePool {
    /// True if this is a new one.
    pub fn add(&mut self, plan: &PlannedSchedule) -> bool {
        let new = self.known.insert(plan.name());
        self.repeats += u64::from(!new);
        new
    }

    /// Schedules that came again.
    #[must_use]
    pub fn repeats(&self) -> u64 {
        self.repeats
    }
}
