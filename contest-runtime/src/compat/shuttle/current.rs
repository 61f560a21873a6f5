//! About the running thread and execution.

use super::scheduler::TaskId;
use crate::execution::{Active, active};
use crate::trace::ThreadIndex;

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

/// The limit of steps counts anew from here.
pub fn reset_step_count() {
    inside().forgive_steps();
}

/// Name of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskName(String);

impl From<TaskName> for String {
    fn from(name: TaskName) -> Self {
        name.0
    }
}

/// The name that the thread was given at its creation.
#[must_use]
pub fn get_name_for_task(task_id: TaskId) -> Option<TaskName> {
    let thread = ThreadIndex(usize::from(task_id) as u16);
    inside().thread_name(thread).map(TaskName)
}

fn inside() -> Active {
    active().expect("contest: there is no current thread outside an execution")
}
