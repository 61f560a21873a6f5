//! Runs every execution twice and compares.

use super::{Schedule, Scheduler, Task, TaskId};

/// Runs every execution of another scheduler a second time with the same decisions; the test fails if it does not do
/// the same.
#[derive(Clone, Debug)]
pub struct UncontrolledNondeterminismCheckScheduler<S> {
    inner: S,
    recording: Vec<Step>,
    /// In the second run: the number of the next step.
    position: Option<usize>,
    failure: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Switch {
        runnable: Vec<TaskId>,
        current: Option<TaskId>,
        yielding: bool,
        chosen: Option<TaskId>,
    },
    Random(u64),
}

impl<S: Scheduler> UncontrolledNondeterminismCheckScheduler<S> {
    /// Checks the executions of `inner`.
    pub fn new(inner: S) -> Self {
        Self {
            inner,
            recording: Vec::new(),
            position: None,
            failure: None,
        }
    }

    fn fail(&mut self, what: &str) {
        let text = format!("possible nondeterminism: {what}");
        self.failure.get_or_insert(text);
    }

    /// In the second run: the recorded step that is due.
    fn due(&mut self) -> Option<Option<Step>> {
        let position = self.position.as_mut()?;
        *position += 1;
        Some(self.recording.get(*position - 1).cloned())
    }
}

impl<S: Scheduler> Scheduler for UncontrolledNondeterminismCheckScheduler<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        match self.position {
            None if !self.recording.is_empty() => {
                self.position = Some(0);
                return Some(Schedule::default());
            }
            Some(position) if position < self.recording.len() => {
                self.fail("current execution ended earlier than expected");
                return Some(Schedule::default());
            }
            _ => {}
        }
        self.position = None;
        self.recording.clear();
        self.inner.new_execution()
    }

    fn next_task(
        &mut self,
        runnable_tasks: &[&Task<'_>],
        current_task: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        let runnable: Vec<TaskId> = runnable_tasks.iter().map(|task| task.id()).collect();
        match self.due() {
            None => {
                let chosen = self
                    .inner
                    .next_task(runnable_tasks, current_task, is_yielding);
                self.recording.push(Step::Switch {
                    runnable,
                    current: current_task,
                    yielding: is_yielding,
                    chosen,
                });
                chosen
            }
            Some(None) => {
                self.fail("current execution should have ended");
                None
            }
            Some(Some(Step::Random(_))) => {
                self.fail(
                    "next step was context switch, but recording expected random number generation",
                );
                None
            }
            Some(Some(Step::Switch { runnable: then, .. })) if then != runnable => {
                self.fail("set of runnable tasks is different than expected");
                None
            }
            Some(Some(Step::Switch { current, .. })) if current != current_task => {
                self.fail("current task is different than expected");
                None
            }
            Some(Some(Step::Switch { yielding, .. })) if yielding != is_yielding => {
                self.fail("`next_task` was called with `is_yielding` that was not recorded");
                None
            }
            Some(Some(Step::Switch { chosen, .. })) => chosen,
        }
    }

    fn next_u64(&mut self) -> u64 {
        match self.due() {
            None => {
                let bits = self.inner.next_u64();
                self.recording.push(Step::Random(bits));
                bits
            }
            Some(Some(Step::Random(bits))) => bits,
            Some(Some(Step::Switch { .. })) => {
                self.fail(
                    "next step was random number generation, but recording expected context switch",
                );
                0
            }
            Some(None) => {
                self.fail("current execution should have ended");
                0
            }
        }
    }

    fn failure(&mut self) -> Option<String> {
        self.failure.clone().or_else(|| self.inner.failure())
    }
}
