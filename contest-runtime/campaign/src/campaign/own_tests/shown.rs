//! Runs a test of the crate on the engine, and keeps executions of it that fail.

use super::OwnTest;
use super::outcome::{Outcome, outcome};
use crate::campaign::test_runner::TestRunner;
use crate::judge::RunSerially;
use crate::judge::of_model::Failure;
use crate::judge::timing::is_of_system;
use contest_data::circumstances::Circumstances;
use contest_data::decision::Strategy;
use contest_data::finding::InterleavingStep;
use contest_data::trace::{ExecutionRecord, Schedule, VisibleBytes};
use contest_search::explore::{Replay, RunOnce};

/// File of the body of a test.
const BODY: &str = "own_tests/own_test.rs";
/// File of what runs two tests as one.
const PAIR: &str = "own_tests/pairs.rs";

/// An execution that fails.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) record: ExecutionRecord,
    pub(super) names: Vec<String>,
    pub(super) failure: Failure,
}

/// The steps of what happened, without those that only run two tests as one.
pub(super) fn without_pair(mut steps: Vec<InterleavingStep>) -> Vec<InterleavingStep> {
    steps.retain(|step| !step.location.contains(PAIR));
    steps
}

/// A test and what runs it.
pub(super) struct Running<'a, 'i> {
    pub(super) test: &'a OwnTest,
    pub(super) runner: &'a mut TestRunner<'i>,
    /// Memory whose accesses are visible operations.
    pub(super) visible: Vec<VisibleBytes>,
    /// Executions so far.
    pub(super) executions: u64,
}

impl RunOnce for Running<'_, '_> {
    fn run_once(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord {
        self.executions += 1;
        let test = self.test;
        self.runner
            .run_body(&|| test.body(), strategy, &self.visible)
    }
}

impl<'a, 'i> Running<'a, 'i> {
    /// Runs the test by this, with nothing visible.
    pub(super) fn of(test: &'a OwnTest, runner: &'a mut TestRunner<'i>) -> Self {
        // A test may measure how long something took, and want more than nothing.
        runner.set_circumstances(Circumstances::USUAL.with_moving_clock());
        Self {
            test,
            runner,
            visible: Vec::new(),
            executions: 0,
        }
    }
}

impl Running<'_, '_> {
    /// What the last execution shows; threads have no names in it.
    pub(super) fn outcome(&self) -> Outcome {
        self.named_outcome(&[])
    }

    /// Where the failure has no place of its own, the test's is taken.
    fn named_outcome(&self, names: &[String]) -> Outcome {
        let mut outcome = outcome(self.runner.record(), names);
        if let Outcome::Fails(failure) = &mut outcome {
            // What the body itself panics with.
            let locations = &mut failure.locations;
            locations.retain(|it| !is_of_system(it) && !it.contains(BODY) && !it.contains(PAIR));
            failure.details.retain(|it| !it.contains(PAIR));
            if locations.is_empty() {
                locations.push(self.test.declared.clone());
            }
            for line in &mut failure.details {
                if let Some((before, place)) = line.rsplit_once(", at ")
                    && is_of_system(place)
                {
                    line.truncate(before.len());
                }
            }
        }
        outcome
    }

    /// The last execution, if it fails.
    pub(super) fn shown(&self) -> Option<Shown> {
        let names = self.runner.thread_names();
        let Outcome::Fails(failure) = self.named_outcome(&names) else {
            return None;
        };
        let record = self.runner.record().clone();
        Some(Shown {
            record,
            names,
            failure,
        })
    }

    /// As [`replay`](Self::replay), for an execution that is described: objects have names, and steps in dependencies
    /// the line that called them.
    pub(super) fn replay_named(&mut self, schedule: &Schedule) -> Option<String> {
        self.runner.name_objects(true);
        self.runner.note_callers(true);
        let diverged = self.replay(schedule);
        self.runner.note_callers(false);
        self.runner.name_objects(false);
        diverged
    }

    /// As [`replay_named`](Self::replay_named); plain accesses of memory that threads share are rows of the
    /// interleaving.
    pub(super) fn replay_with_accesses(&mut self, schedule: &Schedule) -> Option<String> {
        self.runner.symbolise_fields(Some(0));
        let diverged = self.replay_named(schedule);
        self.runner.symbolise_fields(None);
        diverged
    }

    /// Runs this schedule; the first step at which the code no longer does what was recorded.
    pub(super) fn replay(&mut self, schedule: &Schedule) -> Option<String> {
        let before = std::mem::replace(&mut self.visible, schedule.visible.clone());
        let mut strategy = Replay::new(schedule.clone());
        strategy.begin();
        self.run_once(&mut strategy);
        strategy.end(self.runner.record());
        self.visible = before;
        let at = strategy.divergence()?;
        Some(format!("decision {}: {}", at.decision + 1, at.what))
    }
}
