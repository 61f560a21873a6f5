//! What a run explored and what it did not: the last thing every report says.

use std::collections::BTreeMap;
use std::time::Duration;

use contest::judge::FindingKind;
use contest::protocol::{Alone, SubjectTotals, Totals};

use crate::skipped::Skipped;

/// Everything a run can say at its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSummary {
    /// Package under test: `dashmap 6.1.0`.
    pub package: String,
    /// Counts per type, in the order of the catalog.
    pub subjects: Vec<SubjectTotals>,
    /// Methods and constructors left out, all types together.
    pub operations_left_out: usize,
    /// Types left out.
    pub types_left_out: usize,
    /// Crates of the graph that run without instrumentation, with the reason.
    pub uninstrumented: Vec<Skipped>,
    /// What fails without any concurrency.
    pub alone: Vec<Alone>,
    /// Findings by kind.
    pub findings: BTreeMap<FindingKind, usize>,
    /// Driver processes that died and were replaced.
    pub restarts: u32,
    /// Exploration time.
    pub elapsed: Duration,
    /// Stopped by Ctrl-C.
    pub interrupted: bool,
}

/// What was tested at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vacuous {
    /// No type was left to test.
    NoType,
    /// Types, but no operation that can be called.
    NoOperation,
    /// Operations, but no test could be run.
    NoTest,
    /// Tests ran, but no execution had a second thread to switch to: nothing was instrumented, or nothing is shared.
    NoDecision,
}

impl Vacuous {
    /// In words, for people.
    #[must_use]
    pub fn why(self) -> &'static str {
        match self {
            Self::NoType => "no type can be tested",
            Self::NoOperation => "no operation can be called",
            Self::NoTest => "no concurrent test could be run",
            Self::NoDecision => {
                "no execution had a choice between threads: the code under test reached no instrumented operation"
            }
        }
    }
}

impl RunSummary {
    /// Number of findings.
    #[must_use]
    pub fn finding_count(&self) -> usize {
        self.findings.values().sum()
    }

    /// Sum over all types.
    #[must_use]
    pub fn total(&self, count: impl Fn(&SubjectTotals) -> u64) -> u64 {
        self.subjects.iter().map(count).sum()
    }

    /// Reasons with counts, all types together, most frequent first.
    #[must_use]
    pub fn reasons(&self, list: impl Fn(&SubjectTotals) -> &[(String, u64)]) -> Vec<(String, u64)> {
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        for subject in &self.subjects {
            for (reason, count) in list(subject) {
                *sums.entry(reason).or_default() += count;
            }
        }
        let mut sums: Vec<(String, u64)> = sums
            .into_iter()
            .map(|(reason, count)| (reason.to_string(), count))
            .collect();
        sums.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        sums
    }

    /// Why this run shows nothing, if so: never a silent pass.
    #[must_use]
    pub fn vacuous(&self) -> Option<Vacuous> {
        if self.finding_count() > 0 {
            None
        } else if self.subjects.is_empty() {
            Some(Vacuous::NoType)
        } else if self.total(|subject| subject.operations) == 0 {
            Some(Vacuous::NoOperation)
        } else if self.total(|subject| subject.tests) == 0 {
            Some(Vacuous::NoTest)
        } else if self.total(|subject| subject.decisions) == 0 {
            Some(Vacuous::NoDecision)
        } else {
            None
        }
    }
}

/// Adds what one driver process did to what was done before it. Tests of two processes differ, so counts add up; what was covered may
/// overlap, so of that the larger figure stands, which is a lower bound.
pub fn add(sum: &mut Vec<SubjectTotals>, process: &Totals) {
    for more in &process.subjects {
        let Some(subject) = sum.iter_mut().find(|subject| subject.name == more.name) else {
            sum.push(more.clone());
            continue;
        };
        subject.operations = subject.operations.max(more.operations);
        subject.operations_used = subject.operations_used.max(more.operations_used);
        subject.pairs = (
            subject.pairs.0.max(more.pairs.0),
            subject.pairs.1.max(more.pairs.1),
        );
        subject.tests += more.tests;
        subject.exhausted += more.exhausted;
        add_reasons(&mut subject.cut, &more.cut);
        add_reasons(&mut subject.skipped, &more.skipped);
        subject.executions += more.executions;
        subject.steps += more.steps;
        subject.decisions += more.decisions;
        subject.findings += more.findings;
    }
}

fn add_reasons(sum: &mut Vec<(String, u64)>, more: &[(String, u64)]) {
    for (reason, count) in more {
        match sum.iter_mut().find(|(known, _)| known == reason) {
            Some((_, known)) => *known += count,
            None => sum.push((reason.clone(), *count)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(tests: u64, decisions: u64) -> SubjectTotals {
        SubjectTotals {
            name: "a::B".to_string(),
            operations: 2,
            pairs: (2, 3),
            tests,
            decisions,
            cut: vec![("budget".to_string(), 1)],
            ..SubjectTotals::default()
        }
    }

    #[test]
    fn a_run_without_any_choice_between_threads_is_vacuous() {
        let mut summary = RunSummary::default();
        assert_eq!(summary.vacuous(), Some(Vacuous::NoType));
        summary.subjects = vec![SubjectTotals::default()];
        assert_eq!(summary.vacuous(), Some(Vacuous::NoOperation));
        summary.subjects = vec![subject(0, 0)];
        assert_eq!(summary.vacuous(), Some(Vacuous::NoTest));
        summary.subjects = vec![subject(5, 0)];
        assert_eq!(summary.vacuous(), Some(Vacuous::NoDecision));
        summary.subjects = vec![subject(5, 1)];
        assert_eq!(summary.vacuous(), None);
    }

    #[test]
    fn a_finding_is_never_vacuous() {
        let summary = RunSummary {
            findings: BTreeMap::from([(FindingKind::Abort, 1)]),
            ..RunSummary::default()
        };
        assert_eq!(summary.vacuous(), None);
    }

    #[test]
    fn counts_of_processes_add_up_and_coverage_is_a_lower_bound() {
        let mut sum = vec![subject(2, 10)];
        let more = Totals {
            subjects: vec![subject(3, 20)],
            elapsed_ms: 1,
        };
        add(&mut sum, &more);
        assert_eq!(sum[0].tests, 5);
        assert_eq!(sum[0].decisions, 30);
        assert_eq!(sum[0].pairs, (2, 3));
        assert_eq!(sum[0].cut, [("budget".to_string(), 2)]);
    }
}
