//! What a campaign counts of the tests of a subject.

use super::pool::Paused;
use super::rung_counts::{Fate, RungCounts};
use crate::generate::TestSource;
use contest_data::gap::Gaps;
use contest_data::sorted::{SortedMap, SortedSet};
use contest_data::subject::Subject;
use contest_data::test::ConcurrentTest;
use contest_data::totals::Reasons;
use contest_search::coverage::MethodPairs;

/// What became of a test.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing is left that would be explored.
    Over,
    Nondeterministic(String),
    /// It stopped for this reason.
    Cut(String),
    /// It might have gone on, for this reason it does not: it is whole if only executions under RC11 are left.
    Unfinished(String),
}

/// Counts of one subject's tests, and what they have used of it.
#[derive(Debug)]
pub(super) struct SubjectCounts {
    pub tests: u64,
    /// Of these, tests of which every interleaving was explored and judged.
    pub exhausted: u64,
    /// Of these, those that draw random numbers.
    pub drew: u64,
    /// Of these, tests of which nothing is left to be explored, with what is missing all the same.
    pub partly: SortedMap<Gaps, u64>,
    /// Tests in which accesses of contended memory were scheduling points.
    pub contended: u64,
    /// Calls in all tests.
    pub calls: u64,
    pub cut: Reasons,
    /// Tests that are none of `tests`.
    pub left_out: Reasons,
    pub skipped: Reasons,
    pub requirements: Reasons,
    pub rungs: RungCounts,
    /// Operations that tests may have beside others.
    pub operations: u64,
    /// Of these, those that no test had.
    pub never_concurrent: SortedSet<u16>,
    /// Pairs of operations that tests had.
    pub pairs: MethodPairs,
}

impl SubjectCounts {
    /// Nothing counted.
    pub(super) fn new(subject: &Subject, pairs: MethodPairs) -> Self {
        let operations = (0..).zip(subject.operations);
        let beside_others = operations.filter(|(_, it)| it.runs_beside_others());
        let never_concurrent: SortedSet<u16> = beside_others.map(|(number, _)| number).collect();
        Self {
            tests: 0,
            exhausted: 0,
            drew: 0,
            partly: SortedMap::new(),
            contended: 0,
            calls: 0,
            cut: Reasons::default(),
            left_out: Reasons::default(),
            skipped: Reasons::default(),
            requirements: Reasons::default(),
            rungs: RungCounts::default(),
            operations: never_concurrent.len() as u64,
            never_concurrent,
            pairs,
        }
    }

    /// Counts what a test covers.
    pub(super) fn cover(&mut self, source: &TestSource, test: &ConcurrentTest) {
        self.tests += 1;
        self.rungs.begin(source, test);
        let lanes = test.threads.iter().map(Vec::len).sum::<usize>();
        self.calls += (test.objects.len() + test.prefix.len() + lanes) as u64;
        for (lane, calls) in test.threads.iter().enumerate() {
            for call in calls {
                self.never_concurrent.remove(&call.operation);
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
        let gaps = || paused.gaps();
        let is_whole = match end {
            End::Over => gaps().is_empty(),
            End::Unfinished(_) => paused.is_whole(),
            End::Nondeterministic(_) | End::Cut(_) => false,
        };
        let fate = match end {
            _ if is_whole => Fate::Complete {
                only_sc: exploration.is_only_sc(),
                drew: exploration.draws() > 0,
                read_clock: exploration.read_clock(),
            },
            End::Over => Fate::Partly(gaps()),
            End::Nondeterministic(first) => Fate::LeftOut(format!("nondeterministic: {first}")),
            End::Cut(reason) | End::Unfinished(reason) => Fate::Cut(reason.clone()),
        };
        match &fate {
            Fate::Complete { drew, .. } => {
                self.exhausted += 1;
                self.drew += u64::from(*drew);
            }
            Fate::Partly(gaps) => *self.partly.get_or_default(gaps.clone()) += 1,
            Fate::LeftOut(reason) => {
                self.tests -= 1;
                self.left_out.add(reason);
            }
            Fate::Cut(reason) => self.cut.add(reason),
        }
        let test = &paused.prepared.test.test;
        self.rungs.end(source, test, fate);
    }

    /// Counts a test that is not run.
    pub(super) fn leave_out_test(
        &mut self,
        source: &TestSource,
        test: &ConcurrentTest,
        reason: &str,
    ) {
        let fate = Fate::LeftOut(reason.to_owned());
        self.left_out.add(reason);
        self.rungs.begin(source, test);
        self.rungs.end(source, test, fate);
    }

    /// The same for a test that counts as begun.
    pub(super) fn give_up_test(
        &mut self,
        source: &TestSource,
        test: &ConcurrentTest,
        reason: &str,
    ) {
        let fate = Fate::LeftOut(reason.to_owned());
        self.tests -= 1;
        self.left_out.add(reason);
        self.rungs.end(source, test, fate);
    }
}
