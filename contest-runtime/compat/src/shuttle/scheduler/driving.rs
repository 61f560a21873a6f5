//! A scheduler as a strategy of the engine.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Scheduler, Task, TaskId};
use contest_data::decision::{Choice, DecisionPoint, NoPlaces, Strategy};
use contest_data::trace::{Action, ExecutionRecord, ObjectId, Pending, ThreadIndex, ThreadSet};

/// Where a scheduler leaves why the test fails.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure(Arc<Mutex<Option<String>>>);

impl Failure {
    /// The reason, if there is one.
    pub(crate) fn get(&self) -> Option<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn set(&self, reason: Option<String>) -> bool {
        let failed = reason.is_some();
        if failed {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = reason;
        }
        failed
    }
}

/// A scheduler as a strategy of the engine.
pub(crate) struct Driving<S> {
    scheduler: S,
    /// Steps after which an execution is given up.
    most_steps: Option<usize>,
    steps: usize,
    failure: Failure,
}

impl<S: Scheduler> Driving<S> {
    pub(crate) fn new(scheduler: S, most_steps: Option<usize>, failure: Failure) -> Self {
        Self {
            scheduler,
            most_steps,
            steps: 0,
            failure,
        }
    }
}

impl<S: Scheduler> Driving<S> {
    /// For shuttle, that the main thread begins is a step.
    fn begin_main(&mut self) {
        let begin = Some(Pending {
            action: Action::Begin,
            object: ObjectId::NONE,
            second: ObjectId::NONE,
            name: "begin",
            check: 0,
        });
        let point = DecisionPoint {
            events: &[],
            current: ThreadIndex::MAIN,
            enabled: ThreadSet::MAIN,
            pending: &[begin],
            spinning: ThreadSet::EMPTY,
            interruptible: ThreadSet::EMPTY,
            timed: ThreadSet::EMPTY,
            last_resort: false,
            yielded: false,
            places: &NoPlaces,
        };
        let main = Task {
            id: TaskId::from(0),
            point: &point,
        };
        self.scheduler.next_task(&[&main], None, false);
    }
}

impl<S: Scheduler> Strategy for Driving<S> {
    fn begin(&mut self) -> bool {
        // The main thread has begun.
        self.steps = 1;
        if self.failure.get().is_some() {
            return false;
        }
        let more = self.scheduler.new_execution().is_some();
        if more && self.scheduler.strategy().is_none() {
            self.begin_main();
        }
        let failed = self.failure.set(self.scheduler.failure());
        more && !failed
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        self.steps += 1;
        if self.most_steps.is_some_and(|most| self.steps > most)
            || self.failure.set(self.scheduler.failure())
        {
            return Choice::Abandon;
        }
        if let Some(strategy) = self.scheduler.strategy() {
            return strategy.thread(point);
        }
        let mut tasks = Vec::new();
        for thread in point.enabled {
            tasks.push(Task {
                id: TaskId::from(thread.index()),
                point,
            });
        }
        let tasks: Vec<&Task<'_>> = tasks.iter().collect();
        let current = Some(TaskId::from(point.current.index()));
        match self.scheduler.next_task(&tasks, current, point.yielded) {
            Some(task) => Choice::Run(ThreadIndex(usize::from(task) as u16)),
            None => Choice::Abandon,
        }
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        match self.scheduler.strategy() {
            Some(strategy) => strategy.value(alternatives),
            None => (self.scheduler.next_u64() % u64::from(alternatives)) as u16,
        }
    }

    fn seed(&mut self) -> u64 {
        match self.scheduler.strategy() {
            Some(strategy) => strategy.seed(),
            None => self.scheduler.next_u64(),
        }
    }

    fn end(&mut self, record: &ExecutionRecord) {
        if let Some(strategy) = self.scheduler.strategy() {
            strategy.end(record);
        }
        self.failure.set(self.scheduler.failure());
    }

    fn exhausted(&self) -> bool {
        true
    }
}
