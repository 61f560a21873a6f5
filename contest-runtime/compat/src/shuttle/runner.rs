//! Runs a test under a scheduler, or under several at once.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::config::{Config, MaxSteps};
use super::failure::{failure_text, kept};
use super::scheduler::{Driving, Failure, Schedule, Scheduler, Task, TaskId};
use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_engine::execution::Engine;

/// Runs a test under a scheduler.
#[derive(Debug)]
pub struct Runner<S> {
    scheduler: S,
    config: Config,
}

impl<S: Scheduler + 'static> Runner<S> {
    /// With this scheduler.
    #[must_use]
    pub fn new(scheduler: S, config: Config) -> Self {
        Self { scheduler, config }
    }

    /// Runs `f` until the scheduler has enough, and returns how often it was run.
    ///
    /// # Panics
    /// At the first execution that fails.
    #[track_caller]
    pub fn run<F: Fn() + Send + Sync + 'static>(self, f: F) -> usize {
        let Self { scheduler, config } = self;
        let (steps, most_steps) = match config.max_steps {
            MaxSteps::None => (u32::MAX, None),
            MaxSteps::FailAfter(steps) => (u32::try_from(steps).unwrap_or(u32::MAX), None),
            MaxSteps::ContinueAfter(steps) => (u32::MAX, Some(steps)),
        };
        let needs_concurrency = scheduler.needs_concurrency();
        let failure = Failure::default();
        let mut strategy = Driving::new(scheduler, most_steps, failure.clone());
        let mut engine = Engine::new(Limits {
            steps,
            stack_bytes: config.stack_size,
            run_detached: true,
            ..Limits::default()
        });
        let start = Instant::now();
        let (mut executions, mut decisions) = (0, 0);
        while config.max_time.is_none_or(|most| start.elapsed() <= most) && strategy.begin() {
            let record = engine.run(&mut strategy, &f);
            strategy.end(record);
            executions += 1;
            decisions += record.schedule.decisions.len();
            if let Some(text) = failure_text(record) {
                panic!("{text}{}", kept(record, &config.failure_persistence));
            }
        }
        if let Some(reason) = failure.get() {
            panic!("{reason}");
        }
        assert!(
            !needs_concurrency || executions == 0 || decisions > 0,
            "test closure did not exercise any concurrency"
        );
        executions
    }
}

/// Runs a test under several schedulers at once, each on a thread of the operating system.
pub struct PortfolioRunner {
    schedulers: Vec<Box<dyn Scheduler + Send>>,
    stop_on_first_failure: bool,
    config: Config,
}

impl PortfolioRunner {
    /// With no schedulers yet. If `stop_on_first_failure`, all of them stop when one has found a failure.
    #[must_use]
    pub fn new(stop_on_first_failure: bool, config: Config) -> Self {
        Self {
            schedulers: Vec::new(),
            stop_on_first_failure,
            config,
        }
    }

    /// Adds a scheduler.
    pub fn add(&mut self, scheduler: impl Scheduler + Send + 'static) {
        self.schedulers.push(Box::new(scheduler));
    }

    /// Runs `f` under all schedulers.
    ///
    /// # Panics
    /// If one has found a failure, with the text of the first in the order of their addition.
    #[track_caller]
    pub fn run<F: Fn() + Send + Sync + 'static>(self, f: F) {
        let f = Arc::new(f);
        let stop = Arc::new(AtomicBool::new(false));
        let first_stops = self.stop_on_first_failure;
        let start = |scheduler| {
            let (f, stop, config) = (Arc::clone(&f), Arc::clone(&stop), self.config.clone());
            std::thread::spawn(move || {
                let scheduler = Stoppable {
                    inner: scheduler,
                    stop: Arc::clone(&stop),
                };
                let run = || Runner::new(scheduler, config).run(move || f());
                let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
                if result.is_err() && first_stops {
                    stop.store(true, Ordering::SeqCst);
                }
                result.map(|_| ())
            })
        };
        let threads: Vec<_> = self.schedulers.into_iter().map(start).collect();
        let mut failed = None;
        for thread in threads {
            if let Err(payload) = thread.join().and_then(|result| result) {
                failed.get_or_insert(payload);
            }
        }
        if let Some(payload) = failed {
            std::panic::resume_unwind(payload);
        }
    }
}

impl fmt::Debug for PortfolioRunner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PortfolioRunner")
            .field("schedulers", &self.schedulers.len())
            .finish_non_exhaustive()
    }
}

/// A scheduler that runs no further execution once it is stopped.
struct Stoppable {
    inner: Box<dyn Scheduler + Send>,
    stop: Arc<AtomicBool>,
}

impl Scheduler for Stoppable {
    fn new_execution(&mut self) -> Option<Schedule> {
        if self.stop.load(Ordering::SeqCst) {
            return None;
        }
        self.inner.new_execution()
    }

    fn next_task(
        &mut self,
        runnable_tasks: &[&Task<'_>],
        current_task: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        self.inner
            .next_task(runnable_tasks, current_task, is_yielding)
    }

    fn next_u64(&mut self) -> u64 {
        self.inner.next_u64()
    }

    fn strategy(&mut self) -> Option<&mut dyn Strategy> {
        self.inner.strategy()
    }

    fn failure(&mut self) -> Option<String> {
        self.inner.failure()
    }

    fn needs_concurrency(&self) -> bool {
        self.inner.needs_concurrency()
    }
}
