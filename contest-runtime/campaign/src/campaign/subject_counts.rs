//! What a campaign counts of the tests of a subject.

use std::collections::HashSet;

use super::pool::Paused;
use super::rung_counts::{Fate, RungCounts};
use crate::generate::TestSource;
use contest_data::subject::Subject;
use contest_data::test::ConcurrentTest;
use contest_data::totals::Reasons;
use contest_search::coverage::MethodPairs;

/// Strategies that run every interleaving that can make a difference before they count as exhausted.
const EXHAUSTIVE: [&str; 2] = ["auto", "dpor"];

/// What became of a test.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    Exhausted,
    Nondeterministic(String),
    Cut(String),
}

/// Counts of one subject's tests, and what they have used of it.
#[derive(Debug)]
pub(super) struct SubjectCounts {
    pub tests: u64,
    pub exhausted: u64,
    /// Tests in which accesses of contended memory were scheduling points.
    pub contended: u64,
    /// Calls in all tests.
    pub calls: u64,
    pub cut: Reasons,
    pub skipped: Reasons,
    pub requirements: Reasons,
    pub rungs: RungCounts,
    /// Operations that tests have beside others, and those that tests had.
    pub operations: u64,
    pub used: HashSet<u16>,
    /// Pairs of operations that tests had.
    pub pairs: MethodPairs,
    /// The strategy, if it counts as exhausted before every interleaving was run that can make a difference.
    bounded: Option<String>,
}

impl SubjectCounts {
    /// Nothing counted, for tests that this strategy explores.
    pub(super) fn new(subject: &Subject, pairs: MethodPairs, strategy: &str) -> Self {
        let operations = subject.operations.iter();
        Self {
            tests: 0,
            exhausted: 0,
            contended: 0,
            calls: 0,
            cut: Reasons::default(),
            skipped: Reasons::default(),
            requirements: Reasons::default(),
            rungs: RungCounts::default(),
            operations: operations.filter(|it| it.runs_beside_others()).count() as u64,
            used: HashSet::new(),
            pairs,
            bounded: (!EXHAUSTIVE.contains(&strategy)).then(|| strategy.to_owned()),
        }
    }

    /// Counts what a test covers.
    pub(super) fn cover(&mut self, subject: &Subject, source: &TestSource, test: &ConcurrentTest) {
        self.tests += 1;
        self.rungs.begin(source, test);
        let lanes = test.threads.iter().map(Vec::len).sum::<usize>();
        self.calls += (test.objects.len() + test.prefix.len() + lanes) as u64;
        for (lane, calls) in test.threads.iter().enumerate() {
            for call in calls {
                if subject.operations[usize::from(call.operation)].runs_beside_others() {
                    self.used.insert(call.operation);
                }
                for other in test.threads[lane + 1..].iter().flatten() {
                    self.pairs.add(call.operation, other.operation);
                }
            }
        }
    }

    /// Counts a test that is over.
    pub(super) fn retire(&mut self, source: &TestSource, paused: &Paused, end: &End) {
        let exploration = &paused.exploration;
        self.contended += u64::from(exploration.sees_contended());
        self.requirements.add_all(&exploration.explorer().counts());
        let fate = match (end, self.lacks(paused)) {
            (End::Exhausted, None) => Fate::Complete,
            (End::Exhausted, Some(reason)) => Fate::Partly(reason),
            (End::Nondeterministic(first), _) => {
                Fate::LeftOut(format!("nondeterministic: {first}"))
            }
            (End::Cut(reason), _) => Fate::Cut(reason.clone()),
        };
        let test = &paused.prepared.test.test;
        self.rungs.end(source, test, fate);
        match end {
            End::Exhausted => self.exhausted += 1,
            End::Nondeterministic(first) => {
                self.skipped.add(&format!("nondeterministic: {first}"));
            }
            End::Cut(reason) => self.cut.add(reason),
        }
    }

    /// Why an exhausted exploration has not shown everything that its test can do, if so.
    fn lacks(&self, paused: &Paused) -> Option<String> {
        if let Some(strategy) = &self.bounded {
            Some(format!("within the bounds of strategy {strategy}"))
        } else if !paused.prepared.outcomes.complete {
            Some("too many orders of its calls to judge results".to_owned())
        } else if let Some(reason) = paused.exploration.unjudged() {
            Some(format!("outcome not judged: {reason}"))
        } else if paused.unsettled > 0 {
            Some("looked like a bug and did not show again".to_owned())
        } else if !paused.exploration.all_watched() {
            Some("memory not watched in all executions".to_owned())
        } else {
            None
        }
    }

    /// Counts a test that is not run, for its rung of the ladder.
    pub(super) fn leave_out_test(
        &mut self,
        source: &TestSource,
        test: &ConcurrentTest,
        reason: &str,
    ) {
        let fate = Fate::LeftOut(reason.to_owned());
        self.rungs.begin(source, test);
        self.rungs.end(source, test, fate);
    }

    /// The same for a test that its rung counts as begun.
    pub(super) fn give_up_test(
        &mut self,
        source: &TestSource,
        test: &ConcurrentTest,
        reason: &str,
    ) {
        let fate = Fate::LeftOut(reason.to_owned());
        self.rungs.end(source, test, fate);
    }
}
