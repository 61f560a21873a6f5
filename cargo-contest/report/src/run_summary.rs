//! What a run explored and what it did not: the last part of every report.

use std::collections::BTreeMap;
use std::time::Duration;

use contest_data::finding::FindingKind;
use contest_data::gap::Gaps;
use contest_data::totals::{Alone, SubjectTotals};

use super::causes::Causes;
use contest_catalog::checked::Checked;
use contest_catalog::growth::Growth;
use contest_catalog::skipped::Skipped;
use contest_catalog::state_summary::StateSummary;

/// Everything a run reports at its end.
#[derive(Clone, Debug, Default)]
pub struct RunSummary {
    /// Package under test: `dashmap 6.1.0`.
    pub package: String,
    /// Counts per type, in the order of the catalog.
    pub subjects: Vec<SubjectTotals>,
    /// Methods and constructors left out, all types together.
    pub operations_left_out: usize,
    /// Types left out.
    pub types_left_out: usize,
    /// Crates of the graph that were compiled with the instrumented standard library.
    pub instrumented: usize,
    /// Crates of the graph that run without instrumentation, with the reason.
    pub uninstrumented: Vec<Skipped>,
    /// What static analysis read.
    pub analysed: Analysed,
    /// Failures that need no concurrency.
    pub alone: Vec<Alone>,
    /// Findings by kind.
    pub findings: BTreeMap<FindingKind, usize>,
    /// Their causes.
    pub causes: Causes,
    /// Of these, warnings.
    pub warnings: usize,
    /// Of all, findings that the baseline has.
    pub in_baseline: usize,
    /// Of these, warnings.
    pub warnings_in_baseline: usize,
    /// Driver processes that died and were replaced.
    pub restarts: u32,
    /// Tests that were lost to panics of the tool's own code; they are among [`lost`](Self::lost).
    pub own_panics: u64,
    /// Tests that were lost with a process, and why they are not diagnosed.
    pub lost: Vec<Skipped>,
    /// Exploration time.
    pub elapsed: Duration,
    /// How the exploration of each package grew.
    pub growth: Vec<(String, Growth)>,
    /// What was taken over from earlier runs, if a state is kept. The counts are then those of all runs.
    pub state: Option<StateSummary>,
    /// Members of the workspace that were not tested, with the reason; of a run over several.
    pub members_not_tested: Vec<Skipped>,
    /// Types that were not tested because they run the same code as at the revision of `--since`.
    pub unchanged: Vec<String>,
    /// Types for which the budget was too short: not compiled, or without a test.
    pub not_reached: Vec<String>,
    /// Stopped by Ctrl-C or a signal to end.
    pub interrupted: bool,
}

/// What static analysis read of the types under test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysed {
    /// Operations that threads can call at the same time.
    pub operations: usize,
    /// Those of them with an exact summary.
    pub exact: usize,
    /// What could not be read, or why nothing was.
    pub left_out: Vec<Skipped>,
    /// Summaries compared with what was observed, if requested.
    pub checked: Option<Checked>,
}

impl Analysed {
    fn add(&mut self, other: Self) {
        self.operations += other.operations;
        self.exact += other.exact;
        self.left_out.extend(other.left_out);
        self.checked = match (self.checked.take(), other.checked) {
            (Some(mut all), Some(checked)) => {
                all.add(checked);
                Some(all)
            }
            (all, checked) => all.or(checked),
        };
    }
}

/// Why nothing was tested.
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
    /// As readable text.
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
    /// One summary of the runs over several packages. A package of which nothing was tested is among the members that
    /// were not.
    #[must_use]
    pub fn joined(members: Vec<Self>, not_tested: Vec<Skipped>) -> Self {
        let mut all = Self {
            members_not_tested: not_tested,
            ..Self::default()
        };
        let names: Vec<&str> = members.iter().map(|it| it.package.as_str()).collect();
        all.package = names.join(", ");
        for member in members {
            if let Some(vacuous) = member.vacuous()
                && member.unchanged.is_empty()
            {
                let skipped = Skipped::new(member.package.as_str(), vacuous.why());
                all.members_not_tested.push(skipped);
            }
            all.add(member);
        }
        // A crate that several depend on.
        all.uninstrumented
            .sort_by(|a, b| (&a.item, &a.why).cmp(&(&b.item, &b.why)));
        all.uninstrumented.dedup();
        all
    }

    fn add(&mut self, member: Self) {
        self.subjects.extend(member.subjects);
        self.operations_left_out += member.operations_left_out;
        self.types_left_out += member.types_left_out;
        self.instrumented += member.instrumented;
        self.uninstrumented.extend(member.uninstrumented);
        self.analysed.add(member.analysed);
        self.alone.extend(member.alone);
        for (kind, count) in member.findings {
            *self.findings.entry(kind).or_default() += count;
        }
        self.warnings += member.warnings;
        self.in_baseline += member.in_baseline;
        self.warnings_in_baseline += member.warnings_in_baseline;
        self.restarts += member.restarts;
        self.own_panics += member.own_panics;
        self.lost.extend(member.lost);
        self.elapsed += member.elapsed;
        self.growth.extend(member.growth);
        self.state = match (self.state.take(), member.state) {
            (Some(mut all), Some(state)) => {
                all.add(state);
                Some(all)
            }
            (all, state) => all.or(state),
        };
        self.unchanged.extend(member.unchanged);
        self.not_reached.extend(member.not_reached);
        self.interrupted |= member.interrupted;
    }

    /// Number of findings.
    #[must_use]
    pub fn finding_count(&self) -> usize {
        self.findings.values().sum()
    }

    /// Findings that fail the run: errors that the baseline does not have.
    #[must_use]
    pub fn failing(&self) -> usize {
        let warnings = self.warnings.saturating_sub(self.warnings_in_baseline);
        let others = self.in_baseline + warnings;
        self.finding_count().saturating_sub(others)
    }

    /// Tests of all types of which nothing is left that would be explored, by what is missing all the same.
    #[must_use]
    pub fn partly(&self) -> Vec<(Gaps, u64)> {
        let mut sum: BTreeMap<&Gaps, u64> = BTreeMap::new();
        for (gaps, tests) in self.subjects.iter().flat_map(|subject| &subject.partly) {
            *sum.entry(gaps).or_default() += tests;
        }
        sum.into_iter()
            .map(|(gaps, tests)| (gaps.clone(), tests))
            .collect()
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

    /// Why this run is vacuous, if it is: never a silent pass.
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
    fn several_packages_make_one_summary_and_one_of_which_nothing_ran_is_named() {
        let ran = |name: &str, findings: usize| RunSummary {
            package: name.to_owned(),
            subjects: vec![subject(5, 1)],
            findings: BTreeMap::from([(FindingKind::Panic, findings)]),
            elapsed: Duration::from_secs(2),
            ..RunSummary::default()
        };
        let nothing = RunSummary {
            package: "c 1.0.0".to_owned(),
            ..RunSummary::default()
        };
        let excluded = vec![Skipped::new("d", "--exclude")];
        let all = RunSummary::joined(
            vec![ran("a 1.0.0", 1), ran("b 2.0.0", 2), nothing],
            excluded,
        );
        assert_eq!(all.package, "a 1.0.0, b 2.0.0, c 1.0.0");
        assert_eq!((all.finding_count(), all.subjects.len()), (3, 2));
        assert_eq!(all.elapsed, Duration::from_secs(4));
        let names: Vec<&str> = (all.members_not_tested.iter())
            .map(|it| it.item.as_str())
            .collect();
        assert_eq!(names, ["d", "c 1.0.0"]);
    }

    #[test]
    fn a_finding_is_never_vacuous() {
        let summary = RunSummary {
            findings: BTreeMap::from([(FindingKind::Abort, 1)]),
            ..RunSummary::default()
        };
        assert_eq!(summary.vacuous(), None);
    }
}
