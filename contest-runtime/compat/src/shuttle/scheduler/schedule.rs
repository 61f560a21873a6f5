//! A schedule as a list of threads.

use std::fmt;

/// Number of a thread in its execution, in order of creation; the main thread is 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(usize);

impl From<usize> for TaskId {
    fn from(number: usize) -> Self {
        Self(number)
    }
}

impl From<TaskId> for usize {
    fn from(id: TaskId) -> Self {
        id.0
    }
}

impl fmt::Debug for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskId({})", self.0)
    }
}

/// Which threads go on, one after another. A list made by hand for one program is good for that program under this
/// engine only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Seed of the random numbers.
    pub seed: u64,
    /// The steps.
    pub steps: Vec<ScheduleStep>,
}

/// A step of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScheduleStep {
    /// This thread goes on.
    Task(TaskId),
    /// A random number is drawn; has no counterpart here and is skipped.
    Random,
}

impl Schedule {
    /// No steps yet.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            steps: Vec::new(),
        }
    }

    /// These threads.
    pub fn new_from_task_ids<T: Into<TaskId>>(
        seed: u64,
        task_ids: impl IntoIterator<Item = T>,
    ) -> Self {
        let step = |id: T| ScheduleStep::Task(id.into());
        Self {
            seed,
            steps: task_ids.into_iter().map(step).collect(),
        }
    }

    /// Adds a thread.
    pub fn push_task(&mut self, task: TaskId) {
        self.steps.push(ScheduleStep::Task(task));
    }

    /// Adds a random number.
    pub fn push_random(&mut self) {
        self.steps.push(ScheduleStep::Random);
    }

    /// Number of steps.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// True if there are no steps.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}
