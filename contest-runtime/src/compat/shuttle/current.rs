//! About the running thread and execution.

use super::scheduler::TaskId;
use crate::execution::{Active, active};

/// Number of visible operations so far: a time stamp.
///
/// # Panics
/// Outside an execution.
#[must_use]
pub fn context_switches() -> usize {
    inside().steps() as usize
}

/// The running thread.
///
/// # Panics
/// Outside an execution.
#[must_use]
pub fn me() -> TaskId {
    TaskId::from(inside().current().index())
}

/// The running thread, if inside an execution.
#[must_use]
pub fn get_current_task() -> Option<TaskId> {
    active().map(|active| TaskId::from(active.current().index()))
}

fn inside() -> Active {
    active().expect("contest: there is no current thread outside an execution")
}
