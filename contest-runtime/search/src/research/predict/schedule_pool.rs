//! Schedules that were planned, so that none is run twice.

use super::name::Name;
use super::planned_schedule::PlannedSchedule;
use crate::coverage::FastSet;

/// The schedules that were planned.
#[derive(Clone, Debug, Default)]
pub(crate) struct SchedulePool {
    known: FastSet<Name>,
}

impl SchedulePool {
    /// True if this is a new one.
    pub(crate) fn add(&mut self, plan: &PlannedSchedule) -> bool {
        self.known.insert(plan.name())
    }
}
