//! The sequences that a subject's coverage consists of, found one after another.

use std::time::{Duration, Instant};

use super::call_tree::{CallTree, Found, LONGEST, Pruned, RunSequence, TraceSet};
use super::{RandomCalls, RandomSource};
use contest_data::settings::Prunings;
use contest_data::test::TestCall;

/// Saturation of the first search.
const FIRST_SATURATION: u32 = 3;
/// Searches in a row that may find nothing before the subject counts as covered.
const MOST_BARREN: u32 = 4;
/// Longest sequence of a search as published. The longest one that the paper reports has 91 calls.
const LONGEST_PUBLISHED: usize = 100;
/// Sequences that the first search may run: there are other tests to be tried, too. A search that this ends doubles it
/// for the next one.
const FIRST_RUNS: u64 = 300;
/// The same of searches as published, which run no sequence to see what is known.
const FIRST_RUNS_PUBLISHED: u64 = 40;
/// Sequences that any search may run.
const MOST_RUNS: u64 = 3_000;
/// The same where that is to be measured.
const LONG_RUNS: u64 = 10 * MOST_RUNS;

/// A sequence that covers something new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallSequence {
    /// Its calls, all on one object.
    pub calls: Vec<TestCall>,
    /// For each call, whether it covered something new when it was found.
    pub new: Vec<bool>,
}

/// What the searches cost and found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SearchTotals {
    /// Searches.
    pub searches: u64,
    /// Searches ended by the limit of runs.
    pub cut: u64,
    /// Sequences run.
    pub runs: u64,
    /// Sequences kept.
    pub kept: u64,
    /// Traces covered by the sequences that were kept.
    pub covered: u64,
    /// Prunings that cut.
    pub pruned: Pruned,
    /// The first search by itself.
    pub first: FirstSearch,
}

impl SearchTotals {
    /// Together with those of another object; the first search is that of this one.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        let (one, two) = (self.pruned, other.pruned);
        Self {
            searches: self.searches + other.searches,
            cut: self.cut + other.cut,
            runs: self.runs + other.runs,
            kept: self.kept + other.kept,
            covered: self.covered + other.covered,
            pruned: Pruned {
                failed: one.failed + two.failed,
                unchanged: one.unchanged + two.unchanged,
                redundant_child: one.redundant_child + two.redundant_child,
                gain_without_change: one.gain_without_change + two.gain_without_change,
                redundant: one.redundant + two.redundant,
            },
            first: if self.searches > 0 {
                self.first
            } else {
                other.first
            },
        }
    }
}

/// The first search of a subject: what AutoConTest's Table 2 compares with and without prunings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FirstSearch {
    /// How long it took.
    pub time: Duration,
    /// Sequences run.
    pub runs: u64,
    /// Traces covered.
    pub covered: u64,
    /// It was ended by the limit of runs.
    pub cut: bool,
}

/// The sequences of one subject.
#[derive(Debug)]
pub(super) struct Sequences {
    kept: Vec<CallSequence>,
    covered: TraceSet,
    saturation: u32,
    barren: u32,
    most_runs: u64,
    longest: usize,
    prunings: Prunings,
    /// Searches that find nothing make the next one look further, without end.
    endless: bool,
    /// The last search came to the end of the tree.
    exhausted: bool,
    totals: SearchTotals,
}

impl Sequences {
    /// None yet.
    #[must_use]
    pub(super) fn new(prunings: Prunings) -> Self {
        Self {
            kept: Vec::new(),
            covered: TraceSet::default(),
            saturation: FIRST_SATURATION,
            barren: 0,
            most_runs: if prunings.long { LONG_RUNS } else { FIRST_RUNS },
            longest: LONGEST,
            prunings,
            endless: false,
            exhausted: false,
            totals: SearchTotals::default(),
        }
    }

    /// None yet, to be found as in the paper: the published rule of redundancy, and no end of the searches but that of
    /// the tree.
    #[must_use]
    pub(super) fn published(prunings: Prunings) -> Self {
        let usual = Self::new(Prunings {
            published: true,
            ..prunings
        });
        Self {
            longest: LONGEST_PUBLISHED,
            endless: true,
            most_runs: if prunings.long {
                LONG_RUNS
            } else {
                FIRST_RUNS_PUBLISHED
            },
            ..usual
        }
    }

    /// Those found so far.
    #[must_use]
    pub(super) fn kept(&self) -> &[CallSequence] {
        &self.kept
    }

    /// Searches in a row that found nothing.
    #[must_use]
    pub(super) fn barren(&self) -> u32 {
        self.barren
    }

    /// What the searches cost so far.
    #[must_use]
    pub(super) fn totals(&self) -> SearchTotals {
        self.totals
    }

    /// Searches for another one, with arguments drawn anew; `None` if nothing new was found this time.
    pub(super) fn search(
        &mut self,
        calls: &RandomCalls,
        random: &mut RandomSource,
        runner: &mut dyn RunSequence<TestCall>,
    ) -> Option<&CallSequence> {
        if self.is_complete() {
            return None;
        }
        let edges = edges(calls, self.totals.searches, random);
        self.search_among(&edges, true, runner)
    }

    /// Searches among sequences of these calls; `None` if nothing new was found this time. `whole`: there are no other
    /// calls.
    pub(super) fn search_among(
        &mut self,
        edges: &[TestCall],
        whole: bool,
        runner: &mut dyn RunSequence<TestCall>,
    ) -> Option<&CallSequence> {
        let tree = CallTree::new(
            edges,
            &self.covered,
            self.saturation,
            self.prunings,
            self.most_runs,
        )
        .up_to(self.longest);
        let tree = if self.endless {
            tree.rarest_first(|call: &TestCall| call.operation)
        } else {
            tree
        };
        let began = Instant::now();
        let found = tree.search(runner);
        if self.totals.searches == 0 {
            self.totals.first = FirstSearch {
                time: began.elapsed(),
                runs: found.runs,
                covered: found.covers.len() as u64,
                cut: found.cut,
            };
        }
        self.count(&found);
        self.exhausted = whole && !found.cut && !found.saturated;
        let ended_early = found.cut && self.most_runs < MOST_RUNS;
        if ended_early {
            self.most_runs = MOST_RUNS.min(2 * self.most_runs);
        }
        if found.covers.is_empty() && ended_early {
            // It may find something once it may run longer.
            return None;
        }
        if found.covers.is_empty() {
            self.barren += 1;
            self.saturation += 1;
            return None;
        }
        self.barren = 0;
        for &trace in &found.covers {
            self.covered.insert(trace);
        }
        // What comes after the last new trace covers nothing.
        let length = found
            .new
            .iter()
            .rposition(|&new| new)
            .map_or(0, |at| at + 1);
        self.totals.kept += 1;
        self.kept.push(CallSequence {
            calls: found.calls[..length].to_vec(),
            new: found.new[..length].to_vec(),
        });
        self.kept.last()
    }

    /// True once several searches in a row found nothing; of those as in the paper, once one found nothing that saw
    /// the whole tree.
    #[must_use]
    pub(super) fn is_complete(&self) -> bool {
        if self.endless {
            self.barren > 0 && self.exhausted
        } else {
            self.barren >= MOST_BARREN
        }
    }

    fn count<E>(&mut self, found: &Found<E>) {
        let totals = &mut self.totals;
        totals.searches += 1;
        totals.cut += u64::from(found.cut);
        totals.runs += found.runs;
        totals.covered += found.covers.len() as u64;
        let pruned = &mut totals.pruned;
        pruned.failed += found.pruned.failed;
        pruned.unchanged += found.pruned.unchanged;
        pruned.redundant_child += found.pruned.redundant_child;
        pruned.gain_without_change += found.pruned.gain_without_change;
        pruned.redundant += found.pruned.redundant;
    }
}

/// The calls of one search, fixed while it lasts: each operation with first alternatives, from the second search on
/// with random ones too.
fn edges(calls: &RandomCalls, search: u64, random: &mut RandomSource) -> Vec<TestCall> {
    let mut edges = Vec::new();
    for &operation in calls.shared() {
        edges.push(calls.first_call(operation, 0, 1));
        if search > 0 && !calls.operation(operation).arguments.is_empty() {
            let other = calls.random_call(operation, 1, random);
            if !edges.contains(&other) {
                edges.push(other);
            }
        }
    }
    edges
}
