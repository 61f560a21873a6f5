//! The strategies of this crate as schedulers.

use super::{Schedule, Scheduler, Task, TaskId};
use contest_data::decision::{Choice, DecisionPoint, Strategy};
use contest_data::rng::Rng;
use contest_data::trace::{Action, ExecutionRecord};
use contest_search::explore::{Dfs, Pct, Random, Urw};

/// Seed where none is given: runs are the same every time.
const SEED: u64 = 0x5EED;

macro_rules! scheduler {
    ($(#[$doc:meta])* $name:ident($strategy:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name($strategy);

        impl Scheduler for $name {
            fn new_execution(&mut self) -> Option<Schedule> {
                self.0.begin().then(Schedule::default)
            }

            fn next_task(
                &mut self,
                runnable_tasks: &[&Task<'_>],
                _current_task: Option<TaskId>,
                _is_yielding: bool,
            ) -> Option<TaskId> {
                match self.0.thread(runnable_tasks.first()?.point) {
                    Choice::Run(thread) => Some(TaskId::from(thread.index())),
                    Choice::Abandon | Choice::LetTimePass | Choice::GoRound(_) => None,
                }
            }

            fn next_u64(&mut self) -> u64 {
                self.0.seed()
            }

            fn strategy(&mut self) -> Option<&mut dyn Strategy> {
                Some(&mut self.0)
            }

            fn failure(&mut self) -> Option<String> {
                Failing::failure(&self.0)
            }

            fn needs_concurrency(&self) -> bool {
                self.0.needs_concurrency()
            }
        }
    };
}

trait Failing {
    fn failure(&self) -> Option<String> {
        None
    }

    fn needs_concurrency(&self) -> bool {
        false
    }
}

impl Failing for Random {}
impl Failing for Urw {}
impl Failing for RoundRobin {}

impl Failing for Pct {
    fn needs_concurrency(&self) -> bool {
        true
    }
}

scheduler! {
    /// [`Random`] walk.
    RandomScheduler(Random)
}

scheduler! {
    /// Random walk, uniform over interleavings: [`Urw`].
    UrwRandomScheduler(Urw)
}

scheduler! {
    /// Random priorities: [`Pct`].
    PctScheduler(Pct)
}

scheduler! {
    /// Every schedule: [`Dfs`] without a bound.
    DfsScheduler(EverySchedule)
}

scheduler! {
    /// Every thread in its turn, switching whenever possible.
    RoundRobinScheduler(RoundRobin)
}

impl RandomScheduler {
    /// This many executions.
    #[must_use]
    pub fn new(max_iterations: usize) -> Self {
        Self::new_from_seed(SEED, max_iterations)
    }

    /// With this seed.
    #[must_use]
    pub fn new_from_seed(seed: u64, max_iterations: usize) -> Self {
        Self(Random::new(seed, max_iterations as u64))
    }
}

impl UrwRandomScheduler {
    /// This many executions.
    #[must_use]
    pub fn new(max_iterations: usize) -> Self {
        Self::new_from_seed(SEED, max_iterations)
    }

    /// With this seed.
    #[must_use]
    pub fn new_from_seed(seed: u64, max_iterations: usize) -> Self {
        Self(Urw::new(seed, max_iterations as u64))
    }
}

impl PctScheduler {
    /// For bugs of depth `max_depth`, this many executions.
    ///
    /// # Panics
    /// If the depth is 0.
    #[must_use]
    pub fn new(max_depth: usize, max_iterations: usize) -> Self {
        Self::new_from_seed(SEED, max_depth, max_iterations)
    }

    /// With this seed.
    ///
    /// # Panics
    /// If the depth is 0.
    #[must_use]
    pub fn new_from_seed(seed: u64, max_depth: usize, max_iterations: usize) -> Self {
        assert!(max_depth > 0, "the depth of a bug is at least 1");
        Self(Pct::new(seed, max_depth as u32, max_iterations as u64))
    }
}

impl DfsScheduler {
    /// At most this many executions. Without `allow_random_data`, a test that draws random numbers fails: not all of
    /// them can be tried.
    #[must_use]
    pub fn new(max_iterations: Option<usize>, allow_random_data: bool) -> Self {
        Self(EverySchedule {
            inner: Dfs::new(None),
            left: max_iterations,
            allow_random_data,
            random_data: false,
        })
    }
}

impl RoundRobinScheduler {
    /// This many executions, all the same.
    #[must_use]
    pub fn new(max_iterations: usize) -> Self {
        Self(RoundRobin {
            left: max_iterations,
        })
    }
}

#[derive(Clone, Debug)]
struct EverySchedule {
    inner: Dfs,
    left: Option<usize>,
    allow_random_data: bool,
    random_data: bool,
}

impl Failing for EverySchedule {
    fn failure(&self) -> Option<String> {
        let refused = self.random_data && !self.allow_random_data;
        refused.then(|| "requested random data from DFS scheduler".to_owned())
    }
}

impl Strategy for EverySchedule {
    fn begin(&mut self) -> bool {
        match &mut self.left {
            Some(0) => return false,
            Some(left) => *left -= 1,
            None => {}
        }
        self.inner.begin()
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        // For shuttle, that a thread ends is no step.
        let current = point.current;
        let pending = point.pending.get(current.index()).copied().flatten();
        let ends = pending.is_some_and(|pending| pending.action == Action::End);
        if ends && point.enabled.contains(current) {
            return Choice::Run(current);
        }
        self.inner.thread(point)
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        self.inner.value(alternatives)
    }

    fn seed(&mut self) -> u64 {
        self.random_data = true;
        Rng::new(SEED).bits()
    }

    fn end(&mut self, record: &ExecutionRecord) {
        self.inner.end(record);
    }
}

#[derive(Clone, Debug)]
struct RoundRobin {
    left: usize,
}

impl Strategy for RoundRobin {
    fn begin(&mut self) -> bool {
        let more = self.left > 0;
        self.left = self.left.saturating_sub(1);
        more
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        let mut enabled = point.enabled.iter();
        let next = enabled.find(|thread| *thread > point.current);
        Choice::Run(next.unwrap_or(point.enabled.lowest()))
    }

    fn value(&mut self, _alternatives: u16) -> u16 {
        0
    }

    fn seed(&mut self) -> u64 {
        0
    }

    fn end(&mut self, _record: &ExecutionRecord) {}
}
