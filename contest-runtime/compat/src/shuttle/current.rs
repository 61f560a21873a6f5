//! About the running thread and execution.

use super::scheduler::TaskId;
use contest_data::trace::ThreadIndex;
use contest_engine::execution::{Active, active};

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

/// What a thread knows of the others: for each thread, how much of what it did happens before now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VectorClock(Vec<u32>);

impl VectorClock {
    /// What is known of the thread with this number.
    #[must_use]
    pub fn get(&self, thread: usize) -> u32 {
        self.0.get(thread).copied().unwrap_or(0)
    }
}

impl std::ops::Deref for VectorClock {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.0
    }
}

/// What the running thread knows.
///
/// # Panics
/// Outside an execution.
#[must_use]
pub fn clock() -> VectorClock {
    VectorClock(inside().clock())
}

fn inside() -> Active {
    active().expect("contest: there is no current thread outside an execution")
}
