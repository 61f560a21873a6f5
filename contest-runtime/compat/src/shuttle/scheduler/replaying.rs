//! One schedule again.

use std::path::Path;

use super::{Schedule, ScheduleStep, Scheduler, Task, TaskId};
use contest_data::decision::Strategy;
use contest_search::explore::Replay;

/// Runs one schedule: a token of this crate, or a list of threads.
#[derive(Clone, Debug)]
pub struct ReplayScheduler {
    what: What,
    allow_incomplete: bool,
    failure: Option<String>,
}

#[derive(Clone, Debug)]
enum What {
    Token(Replay),
    List {
        schedule: Schedule,
        position: usize,
        started: bool,
    },
}

impl ReplayScheduler {
    /// The schedule of this token, as printed by a failure.
    ///
    /// # Panics
    /// If it is no such token.
    #[must_use]
    pub fn new_from_encoded(encoded_schedule: &str) -> Self {
        let text: String = encoded_schedule.split_whitespace().collect();
        match contest_data::trace::Schedule::from_text(&text) {
            Ok(schedule) => Self::of(What::Token(Replay::new(schedule))),
            Err(error) => panic!("invalid schedule: {error}"),
        }
    }

    /// The schedule in this file.
    ///
    /// # Errors
    /// If it cannot be read.
    ///
    /// # Panics
    /// If there is no token in it.
    pub fn new_from_file<P: AsRef<Path>>(path: P) -> Result<Self, std::io::Error> {
        Ok(Self::new_from_encoded(&std::fs::read_to_string(path)?))
    }

    /// A list of threads, one for each step.
    #[must_use]
    pub fn new_from_schedule(schedule: Schedule) -> Self {
        Self::of(What::List {
            schedule,
            position: 0,
            started: false,
        })
    }

    /// A schedule that ends before the test does is no failure.
    pub fn set_allow_incomplete(&mut self) {
        self.allow_incomplete = true;
    }

    fn of(what: What) -> Self {
        Self {
            what,
            allow_incomplete: false,
            failure: None,
        }
    }
}

impl Scheduler for ReplayScheduler {
    fn new_execution(&mut self) -> Option<Schedule> {
        let begins = match &mut self.what {
            What::Token(replay) => replay.begin(),
            What::List { started, .. } => !std::mem::replace(started, true),
        };
        begins.then(Schedule::default)
    }

    fn next_task(
        &mut self,
        runnable_tasks: &[&Task<'_>],
        _current_task: Option<TaskId>,
        _is_yielding: bool,
    ) -> Option<TaskId> {
        let What::List {
            schedule, position, ..
        } = &mut self.what
        else {
            return None;
        };
        loop {
            let step = schedule.steps.get(*position);
            *position += 1;
            match step {
                Some(ScheduleStep::Random) => {}
                Some(ScheduleStep::Task(task))
                    if runnable_tasks.iter().any(|t| t.id() == *task) =>
                {
                    return Some(*task);
                }
                step => {
                    if !self.allow_incomplete {
                        self.failure = Some(match step {
                            Some(task) => format!("scheduled a task that cannot run: {task:?}"),
                            None => "schedule ended early".to_owned(),
                        });
                    }
                    return None;
                }
            }
        }
    }

    fn next_u64(&mut self) -> u64 {
        match &self.what {
            What::List { schedule, .. } => schedule.seed,
            What::Token(_) => 0,
        }
    }

    fn strategy(&mut self) -> Option<&mut dyn Strategy> {
        match &mut self.what {
            What::Token(replay) => Some(replay),
            What::List { .. } => None,
        }
    }

    fn failure(&mut self) -> Option<String> {
        self.failure.take()
    }
}
