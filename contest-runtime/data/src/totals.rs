//! What a campaign did, counted. What was cut short or left out is counted with the reason.

use std::collections::BTreeMap;

use crate::gap::Gaps;
use crate::ladder::{Rung, RungTotals};

/// Where a campaign stands.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Progress {
    /// Subject under test.
    pub subject: String,
    /// Number of the test that runs now: how many of its subject came before it, times the number of subjects, plus the
    /// place of its subject.
    pub test: u64,
    /// For each subject, how many of its tests had their first visit, or were left out: what the next process need not
    /// do again. Those among them whose exploration is paused are in its totals as [`NOT_FINISHED`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub begun: Vec<u64>,
    /// The paused tests that promise most, if they were to be reported and it is time: about once a second and at the
    /// end. A subject that is not among them has not come as far as earlier runs.
    #[cfg_attr(feature = "serde", serde(default))]
    pub paused: Option<Vec<PausedTests>>,
    /// For each subject its smallest shapes of tests: in the first report only, before any test is begun.
    #[cfg_attr(feature = "serde", serde(default))]
    pub smallest: Vec<Vec<RungTotals>>,
    /// Totals so far.
    pub totals: Totals,
}

/// Tests of one subject and one shape whose exploration is paused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PausedTests {
    /// Place of the subject among those of the campaign.
    pub turn: u16,
    /// Their shape, if it is one of the ladder.
    pub rung: Option<Rung>,
    /// The tests.
    pub tests: Vec<PausedTest>,
}

/// A test whose exploration is paused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PausedTest {
    /// How many tests of its subject came before it.
    pub place: u64,
    /// Executions of its next visit.
    pub executions: u64,
    /// What it adds to the checksum of its rung; 0 if it has none, or if that is not known.
    pub checksum: u64,
}

/// Reason for which tests count as cut whose exploration is paused; at the end, for want of time.
pub const NOT_FINISHED: &str = "end of the campaign's budget";

/// The end of the reason why a test was left out, of an operation or a constructor that never returned.
pub const ALWAYS_PANICS: &str = "which always panics with the values tried";

/// Why a result is not reported that looks wrong, where its bug has been.
pub const KNOWN_BUG: &str = "shows a bug that was already reported";

/// How the reasons begin for which tests are left out that failed on real threads, and under no schedule.
pub const UNSCHEDULED: &str = "looked like a bug on real threads";

/// Counts of a campaign. Everything that was cut short is counted.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Totals {
    /// Per subject: name and counts.
    pub subjects: Vec<SubjectTotals>,
    /// Milliseconds spent exploring.
    pub elapsed_ms: u64,
}

/// Counts of one subject.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SubjectTotals {
    /// The type.
    pub name: String,
    /// Operations available.
    pub operations: u64,
    /// Of these, those that were never called in a concurrent part: name and number.
    pub never_concurrent: Vec<(String, u64)>,
    /// Operations that returned nothing but errors: name, number, and the first error.
    #[cfg_attr(feature = "serde", serde(default))]
    pub only_errors: Vec<(String, u64, String)>,
    /// Unordered pairs of operations run concurrently at least once, of how many.
    pub pairs: (u64, u64),
    /// Of these pairs, those left out because static analysis proved that the two cannot disturb each other.
    #[cfg_attr(feature = "serde", serde(default))]
    pub pairs_pruned: u64,
    /// Concurrent tests run: those that are exhausted, partly explored or cut.
    pub tests: u64,
    /// Of these, tests of which every interleaving was explored, watched and judged.
    pub exhausted: u64,
    /// Of these, those that draw random numbers: each was explored under [`DRAWS`](crate::circumstances::DRAWS) draws.
    #[cfg_attr(feature = "serde", serde(default))]
    pub drew: u64,
    /// Of these, tests of which nothing is left that would be explored, with what is missing all the same, and the
    /// count.
    #[cfg_attr(feature = "serde", serde(default))]
    pub partly: Vec<(Gaps, u64)>,
    /// Of these, tests cut by the budget or a limit, with the reason and the count.
    pub cut: Vec<(String, u64)>,
    /// Tests that were not run, or whose executions show nothing (nondeterministic, prefix panics, ...), with the
    /// reason and the count. They are none of `tests`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub left_out: Vec<(String, u64)>,
    /// Outcomes not judged or not reported, and calls left out of tests, with the reason and the count.
    pub skipped: Vec<(String, u64)>,
    /// Executions, all phases together.
    pub executions: u64,
    /// Of these, executions in which every memory access of instrumented code was watched.
    #[cfg_attr(feature = "serde", serde(default))]
    pub watched: u64,
    /// Of these, executions whose final state was known from another one of the same test and not observed again.
    #[cfg_attr(feature = "serde", serde(default))]
    pub unobserved: u64,
    /// Tests in which accesses of contended memory, too, were scheduling points.
    #[cfg_attr(feature = "serde", serde(default))]
    pub contended: u64,
    /// Visible operations executed.
    pub steps: u64,
    /// Decisions with more than one alternative.
    pub decisions: u64,
    /// Findings.
    pub findings: u64,
    /// What the strategies counted: requirements predicted, excluded, covered, ...
    #[cfg_attr(feature = "serde", serde(default))]
    pub requirements: Vec<(String, u64)>,
    /// What generating its tests took.
    #[cfg_attr(feature = "serde", serde(default))]
    pub generation: Generation,
    /// Unordered pairs of operations of which calls overlapped in an execution that was looked at, out of as many as in
    /// `pairs`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub overlapped: u64,
    /// Access patterns that its executions showed.
    #[cfg_attr(feature = "serde", serde(default))]
    pub coverage: crate::coverage_counts::CoverageCounts,
    /// The rungs of the ladder that were begun, the smallest first; none if the generator has no ladder.
    #[cfg_attr(feature = "serde", serde(default))]
    pub ladder: Vec<crate::ladder::RungTotals>,
    /// Operations whose documentation calls their result approximate, by name.
    #[cfg_attr(feature = "serde", serde(default))]
    pub approximate: Vec<String>,
    /// Operations whose futures are not dropped, because their documentation says that they are not cancel safe, by
    /// name.
    #[cfg_attr(feature = "serde", serde(default))]
    pub not_cancelled: Vec<String>,
    /// What its operations were seen to do, if that was requested.
    #[cfg_attr(feature = "serde", serde(default))]
    pub behaviour: crate::observed::Observed,
    /// Its complete tests sampled, if that was requested.
    #[cfg_attr(feature = "serde", serde(default))]
    pub sampled: crate::observed::Sampled,
    /// Atomic operations and fences that were executed under RC11, if they were collected.
    #[cfg_attr(feature = "serde", serde(default))]
    pub places: Vec<crate::orderings::AtomicPlace>,
}

impl SubjectTotals {
    /// Operations called at least once in a concurrent part.
    #[must_use]
    pub fn operations_used(&self) -> u64 {
        self.operations
            .saturating_sub(self.never_concurrent.len() as u64)
    }
}

/// What generating the tests of a subject took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Generation {
    /// Size of the suite: calls in all tests, constructors included.
    pub calls: u64,
    /// Call sequences that were run in one thread to see what they cover.
    pub sequence_runs: u64,
    /// Of these, sequences that were kept.
    pub sequences: u64,
    /// Sequential coverage: different traces of calls in the sequences that were kept.
    pub traces_covered: u64,
    /// Different traces of calls seen at all.
    pub traces_seen: u64,
    /// The first search for call sequences: microseconds, sequences run, traces covered.
    #[cfg_attr(feature = "serde", serde(default))]
    pub first_search: (u64, u64, u64),
    /// How the states that sequences lead to were distinguished, or why they were not, and how often.
    #[cfg_attr(feature = "serde", serde(default))]
    pub states: Vec<(String, u64)>,
    /// How often each pruning of the search cut, by name.
    pub pruned: Vec<(String, u64)>,
}

/// How a call fails without any concurrency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FailureAlone {
    /// It panics.
    #[cfg_attr(feature = "serde", serde(rename = "panics"))]
    Panics,
    /// It waits for another call.
    #[cfg_attr(feature = "serde", serde(rename = "blocks"))]
    Blocks,
    /// It goes round a loop.
    #[cfg_attr(feature = "serde", serde(rename = "does not end"))]
    DoesNotEnd,
    /// It ends the process.
    #[cfg_attr(feature = "serde", serde(rename = "ends the process"))]
    EndsProcess,
    /// It is an invariant that does not hold.
    #[cfg_attr(feature = "serde", serde(rename = "breaks its invariant"))]
    BreaksInvariant,
}

/// As in reports, after the call: `panics`.
impl std::fmt::Display for FailureAlone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Panics => "panics",
            Self::Blocks => "blocks",
            Self::DoesNotEnd => "does not end",
            Self::EndsProcess => "ends the process",
            Self::BreaksInvariant => "breaks its invariant",
        })
    }
}

/// Something that fails without any concurrency.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Alone {
    /// The type.
    pub subject: String,
    /// The calls, as text.
    pub calls: Vec<String>,
    /// How they fail.
    pub what: FailureAlone,
    /// Message and location.
    pub detail: String,
}

/// Most different reasons that are kept apart.
const MOST_REASONS: usize = 40;

/// Counts by reason.
#[derive(Clone, Debug, Default)]
pub struct Reasons(BTreeMap<String, u64>);

impl Reasons {
    /// One more for this reason. Reasons may name what they met; past a limit those that are new are counted together.
    pub fn add(&mut self, reason: &str) {
        if let Some(count) = self.0.get_mut(reason) {
            *count += 1;
        } else {
            let known = if self.0.len() < MOST_REASONS {
                reason
            } else {
                "other reasons"
            };
            *self.0.entry(known.to_owned()).or_default() += 1;
        }
    }

    /// So many more for each of these.
    pub fn add_all(&mut self, counts: &[(&str, u64)]) {
        for (reason, count) in counts {
            *self.0.entry((*reason).to_owned()).or_default() += count;
        }
    }

    /// The counts.
    pub fn list(&self) -> Vec<(String, u64)> {
        self.0
            .iter()
            .filter(|(_, count)| **count > 0)
            .map(|(reason, count)| (reason.clone(), *count))
            .collect()
    }
}
