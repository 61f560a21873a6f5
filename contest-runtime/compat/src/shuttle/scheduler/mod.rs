//! Who goes on next: the trait, and the strategies of [`explore`](contest_search::explore) under their names here.

mod driving;
mod nondeterminism;
mod replaying;
mod sampling;
mod schedule;

pub(super) use driving::{Driving, Failure};
pub use nondeterminism::UncontrolledNondeterminismCheckScheduler;
pub use replaying::ReplayScheduler;
pub use sampling::{
    DfsScheduler, PctScheduler, RandomScheduler, RoundRobinScheduler, UrwRandomScheduler,
};
pub use schedule::{Schedule, ScheduleStep, TaskId};

use contest_data::decision::{DecisionPoint, Strategy};

/// A thread that can go on at a decision.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    id: TaskId,
    point: &'a DecisionPoint<'a>,
}

impl Task<'_> {
    /// Its number.
    #[must_use]
    pub fn id(&self) -> TaskId {
        self.id
    }
}

/// Decides which thread goes on.
pub trait Scheduler {
    /// Prepares the next execution; `None` if there is none left to run.
    fn new_execution(&mut self) -> Option<Schedule>;

    /// The thread that goes on, one of `runnable_tasks`, which are never empty; `None` ends the execution.
    fn next_task(
        &mut self,
        runnable_tasks: &[&Task<'_>],
        current_task: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId>;

    /// Random bits; drawn once in an execution that draws random numbers.
    fn next_u64(&mut self) -> u64;

    /// The strategy that does the work, if it is one of this crate: it is then called without a detour.
    #[doc(hidden)]
    fn strategy(&mut self) -> Option<&mut dyn Strategy> {
        None
    }

    /// Why the test fails although no execution does.
    #[doc(hidden)]
    fn failure(&mut self) -> Option<String> {
        None
    }

    /// True if running a test with nothing to decide is a mistake.
    #[doc(hidden)]
    fn needs_concurrency(&self) -> bool {
        false
    }
}

impl<S: Scheduler + ?Sized> Scheduler for Box<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        (**self).new_execution()
    }

    fn next_task(
        &mut self,
        runnable_tasks: &[&Task<'_>],
        current_task: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        (**self).next_task(runnable_tasks, current_task, is_yielding)
    }

    fn next_u64(&mut self) -> u64 {
        (**self).next_u64()
    }

    fn strategy(&mut self) -> Option<&mut dyn Strategy> {
        (**self).strategy()
    }

    fn failure(&mut self) -> Option<String> {
        (**self).failure()
    }

    fn needs_concurrency(&self) -> bool {
        (**self).needs_concurrency()
    }
}
