//! Prediction and active testing (Terragni and Cheung, ICSE 2016, section 4.4): each thread of a test runs alone once,
//! patterns that break atomicity are predicted from the two traces, and each is forced in a separate execution, in two
//! states.
//!
//! Deviations: an access is named by its number in its call, not by its place in the source and a count: where
//! interference makes a call follow another path, the execution counts as diverged. Whether an order was forced is read
//! from the record of the execution. Variables are atomics, the contents of each lock and channel as one, and memory
//! whose accesses are visible; plain fields behind a lock are its contents. Where a thread of a test has several calls,
//! both threads have made their earlier calls when two meet, in one state this one first and in the other the other
//! one; campaigns have each state to itself, in smaller tests. In tests of three threads, each pair of threads is
//! predicted in turn. Where the user has grouped fields into atomic sets, orders over two locations that are in no set
//! together are no requirements; they are counted.

mod force;
mod requirements;
mod shown;
mod unit;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use crate::strategies::without_preemption;
use contest_data::atomic_sets::AtomicSets;
use contest_data::decision::{Choice, DecisionPoint, Strategy};
use contest_data::names::pta::{COVERED, EXCLUDED, NOT_FORCED, REQUIRED};
use contest_data::trace::{ExecutionRecord, ThreadIndex};

use force::{First, Force, ForceOutcome};
pub use requirements::PatternSet;
pub use requirements::{Requirement, Step};
use requirements::{Requirements, predict};
use unit::{Lane, lanes};

/// What is run next.
#[derive(Debug)]
enum Job {
    /// This lane first, to its end, then the others; 0 is the first one.
    Alone(usize),
    Force(Requirement, First),
}

/// The strategy.
#[derive(Debug)]
pub struct Pta {
    patterns: PatternSet,
    sets: Arc<AtomicSets>,
    jobs: VecDeque<Job>,
    now: Option<Job>,
    force: Option<Force>,
    /// What each lane did when it ran first.
    alone: Vec<Lane>,
    /// Threads of the lanes, known after the first execution.
    threads: Vec<ThreadIndex>,
    /// Those that locks allow.
    requirements: Vec<Requirement>,
    /// Those of them that were forced.
    covered: Vec<Requirement>,
    /// Requirements of two threads that are kept.
    most: usize,
    /// Who else is told which were forced, by number.
    forced: Rc<RefCell<Vec<usize>>>,
    counts: Counts,
    executions_left: u64,
}

/// Requirements of two threads that are kept, where they are forced in one test.
const MOST: usize = 2_000;
/// The same, where they are of sequences of calls and each is forced in a test of two calls.
const MOST_OF_SEQUENCES: usize = 50_000;

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    requirements: u64,
    infeasible: u64,
    too_many: u64,
    apart: u64,
    not_here: u64,
    diverged: u64,
    alone_failed: u64,
}

impl Pta {
    /// Predicts these patterns; at most `executions` executions.
    #[must_use]
    pub fn new(patterns: PatternSet, executions: u64) -> Self {
        Self {
            patterns,
            sets: Arc::default(),
            jobs: VecDeque::from([Job::Alone(0)]),
            now: None,
            force: None,
            alone: Vec::new(),
            threads: Vec::new(),
            requirements: Vec::new(),
            covered: Vec::new(),
            most: MOST,
            forced: Rc::default(),
            counts: Counts::default(),
            executions_left: executions,
        }
    }

    /// Predicts what two threads require, and forces nothing: see [`Pta::requirements`] after two executions.
    #[must_use]
    pub fn predicting(patterns: PatternSet) -> Self {
        Self {
            most: MOST_OF_SEQUENCES,
            ..Self::new(patterns, 2)
        }
    }

    /// Forces these requirements of two threads with one call each, and predicts nothing. The numbers of those that an
    /// execution showed go to `forced`.
    #[must_use]
    pub fn forcing(requirements: Vec<Requirement>, forced: Rc<RefCell<Vec<usize>>>) -> Self {
        let jobs = requirements.iter().cloned();
        Self {
            forced,
            jobs: jobs.map(|it| Job::Force(it, First::Own)).collect(),
            requirements,
            ..Self::new(PatternSet::default(), u64::MAX)
        }
    }

    /// Of fields that are grouped into these atomic sets.
    #[must_use]
    pub fn grouped(self, sets: Arc<AtomicSets>) -> Self {
        Self { sets, ..self }
    }

    /// The requirements so far that locks allow.
    #[must_use]
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }

    /// Those of them that an execution showed in which they were forced.
    #[must_use]
    pub fn covered(&self) -> &[Requirement] {
        &self.covered
    }

    /// What this call of a thread did when it ran first, as a hash: equal for calls that do the same at the same
    /// places.
    #[must_use]
    pub fn context(&self, thread: ThreadIndex, call: u16) -> Option<u64> {
        let lane = self.alone.iter().find(|lane| lane.thread == thread)?;
        Some(lane.units.get(usize::from(call))?.context())
    }

    /// The requirements of two lanes are predicted once both have run alone.
    fn plan(&mut self) {
        for own in 0..self.alone.len() {
            for other in own + 1..self.alone.len() {
                let Requirements {
                    feasible,
                    infeasible,
                    dropped,
                    apart,
                } = predict(
                    &self.alone[own],
                    &self.alone[other],
                    self.patterns,
                    self.most,
                );
                self.counts.requirements += feasible.len() as u64 + infeasible;
                self.counts.infeasible += infeasible;
                self.counts.too_many += dropped;
                self.counts.apart += apart;
                self.requirements.extend(feasible.iter().cloned());
                for requirement in feasible {
                    // A call with nothing before it has one state only.
                    if requirement.has_calls_before() {
                        self.jobs
                            .push_back(Job::Force(requirement.clone(), First::Own));
                        self.jobs.push_back(Job::Force(requirement, First::Other));
                    } else {
                        self.jobs.push_back(Job::Force(requirement, First::Own));
                    }
                }
            }
        }
    }

    fn after_alone(&mut self, lane: usize, record: &ExecutionRecord) {
        let found = lanes(record, &self.sets);
        if lane == 0 {
            self.threads = found.iter().map(|lane| lane.thread).collect();
            self.jobs.extend((1..found.len()).map(Job::Alone));
        }
        match found.into_iter().nth(lane) {
            Some(own) => self.alone.push(own),
            None => self.counts.alone_failed += 1,
        }
        let others_wait = self.jobs.iter().any(|job| matches!(job, Job::Alone(_)));
        if !others_wait {
            unit::name_objects_alike(&mut self.alone);
            self.plan();
        }
    }
}

impl Strategy for Pta {
    fn begin(&mut self) -> bool {
        if self.executions_left == 0 {
            return false;
        }
        self.now = self.jobs.pop_front();
        self.force = match &self.now {
            Some(Job::Force(requirement, first)) => Some(Force::new(requirement.clone(), *first)),
            Some(Job::Alone(_)) => None,
            None => return false,
        };
        self.executions_left -= 1;
        true
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        let able = point.enabled;
        if let Some(force) = &mut self.force {
            return Choice::Run(force.choose(point));
        }
        let first = match self.now {
            Some(Job::Alone(lane)) => self.threads.get(lane).copied(),
            _ => None,
        };
        Choice::Run(match first {
            Some(thread) if able.contains(thread) => thread,
            _ => without_preemption(point, able),
        })
    }

    fn value(&mut self, _: u16) -> u16 {
        0
    }

    fn seed(&mut self) -> u64 {
        0
    }

    fn end(&mut self, record: &ExecutionRecord) {
        match self.now.take() {
            Some(Job::Alone(lane)) => self.after_alone(lane, record),
            Some(Job::Force(requirement, first)) => {
                let forced = self.force.take().map(|force| force.outcome(record));
                match forced {
                    Some(ForceOutcome::Yes) => {
                        let number = self.requirements.iter().position(|it| *it == requirement);
                        self.forced.borrow_mut().extend(number);
                        self.covered.push(requirement.clone());
                        // The other state is not needed any more.
                        if first == First::Own {
                            self.jobs.retain(
                                |job| !matches!(job, Job::Force(same, _) if *same == requirement),
                            );
                        }
                    }
                    Some(ForceOutcome::NotHere) => self.counts.not_here += 1,
                    Some(ForceOutcome::Diverged) | None => self.counts.diverged += 1,
                }
            }
            None => {}
        }
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        let counts = &self.counts;
        vec![
            (REQUIRED, counts.requirements),
            (EXCLUDED, counts.infeasible),
            (COVERED, self.covered.len() as u64),
            (
                NOT_FORCED,
                (self.requirements.len() - self.covered.len()) as u64,
            ),
            ("attempts that the state did not allow", counts.not_here),
            ("attempts that diverged", counts.diverged),
            ("requirements beyond the limit of a test", counts.too_many),
            ("threads without a run of their own", counts.alone_failed),
            (
                "orders of fields that are in no atomic set together",
                counts.apart,
            ),
        ]
    }
}
