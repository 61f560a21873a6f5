//! MAP-coverage (Zhao et al.: Achieving high MAP-coverage through pattern constraint reduction, section 2.4): the
//! patterns that a set of executions has shown, out of an upper bound of those there could be.
//!
//! Deviations: accesses are those that were executed, whereas the paper uses the instructions of the class; variables
//! are identified by the sites that access them: sites that ever access a common object are one variable; and the bound
//! counts the pairs of variables in both orders, since their instances are different (the paper's formula counts one
//! order and is given as [`CoverageCounts::printed_bound`]).

use std::sync::Arc;
use std::time::Instant;

use super::access::{Accesses, Contents};
use super::access_patterns::Pattern;
use super::instances::{InstanceFinder, PatternKey};
use super::sites::SiteTable;
use super::variables::Variables;
use contest_data::atomic_sets::AtomicSets;
use contest_data::coverage_counts::{CoverageCounts, CurvePoint};
use contest_data::fast_hash::{FastMap, FastSet};
use contest_data::trace::ExecutionRecord;

/// Points that the curve keeps; of a longer one every second is dropped.
const MOST_POINTS: usize = 1_024;
/// Points of the curve in the counts.
const POINTS_TOLD: usize = 32;
/// Patterns that are remembered; those beyond are counted as dropped.
const MOST_PATTERNS: usize = 1 << 20;
/// Most strategies that are distinguished; further ones count as the last one.
const MOST_STRATEGIES: usize = 32;

/// Coverage of a growing set of executions of one type or one test.
#[derive(Clone, Debug, Default)]
pub struct MapCoverage {
    sites: SiteTable,
    contents: Contents,
    sets: Arc<AtomicSets>,
    accesses: Accesses,
    finder: InstanceFinder,
    /// Covered patterns, with a bit for each strategy that has shown them.
    covered: FastMap<PatternKey, u32>,
    within_calls: FastSet<PatternKey>,
    apart: FastSet<PatternKey>,
    by_pattern: [u64; 17],
    by_atomic_set: [u64; 14],
    strategies: Vec<(&'static str, u64)>,
    variables: Variables,
    executions: u64,
    passed: u64,
    dropped: u64,
    curve: Vec<CurvePoint>,
    start: Option<Instant>,
}

impl MapCoverage {
    /// Nothing covered yet.
    #[must_use]
    pub fn new(contents: Contents) -> Self {
        Self {
            contents,
            ..Self::default()
        }
    }

    /// Of fields that are grouped into these atomic sets.
    #[must_use]
    pub fn grouped(self, sets: Arc<AtomicSets>) -> Self {
        Self { sets, ..self }
    }

    /// Adds an execution; returns how many patterns it is the first to show.
    pub fn observe(&mut self, record: &ExecutionRecord) -> u64 {
        self.observe_by(record, "")
    }

    /// As [`MapCoverage::observe`], for an execution by the strategy of this name.
    pub fn observe_by(&mut self, record: &ExecutionRecord, strategy: &'static str) -> u64 {
        let start = *self.start.get_or_insert_with(Instant::now);
        self.executions += 1;
        self.dropped += record.plain.dropped;
        let before = self.covered.len();
        self.accesses.read(record, &mut self.sites, self.contents);
        self.variables.join_sites(&self.accesses);
        let strategy = self.strategy(strategy);
        let sets = self.sets.of_objects(record);
        let Self {
            accesses,
            finder,
            covered,
            within_calls,
            apart,
            by_pattern,
            by_atomic_set,
            strategies,
            dropped,
            ..
        } = self;
        finder.find(accesses, |instance| {
            let number = usize::from(instance.key.pattern().number());
            if covered.len() >= MOST_PATTERNS && !covered.contains_key(&instance.key) {
                *dropped += 1;
                return;
            }
            let seen = covered.entry(instance.key).or_insert(0);
            if *seen == 0 {
                by_pattern[number - 1] += 1;
            }
            if *seen & 1 << strategy == 0 {
                *seen |= 1 << strategy;
                strategies[strategy].1 += 1;
            }
            if !instance.within_calls || !instance.key.pattern().is_atomic_set() {
                return;
            }
            let length = instance.key.pattern().length();
            let variable = |at: usize| accesses.get(instance.accesses[at]).variable;
            if (1..length).any(|at| !sets.relate(variable(0), variable(at))) {
                apart.insert(instance.key);
            } else if within_calls.insert(instance.key) {
                by_atomic_set[number - 4] += 1;
            }
        });
        let new = self.covered.len() - before;
        if new > 0 {
            if self.curve.len() == MOST_POINTS {
                let mut index = 0;
                self.curve.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
            }
            self.curve.push(self.point(start));
        }
        new as u64
    }

    /// Counts an execution without examining it.
    pub fn pass(&mut self) {
        self.passed += 1;
    }

    fn strategy(&mut self, name: &'static str) -> usize {
        let known = self.strategies.iter().position(|(of, _)| *of == name);
        known.unwrap_or_else(|| {
            if self.strategies.len() < MOST_STRATEGIES {
                self.strategies.push((name, 0));
            }
            self.strategies.len() - 1
        })
    }

    fn point(&self, start: Instant) -> CurvePoint {
        CurvePoint {
            executions: self.executions + self.passed,
            milliseconds: start.elapsed().as_millis() as u64,
            covered: self.covered.len() as u64,
        }
    }

    /// True if some execution has shown this pattern.
    #[must_use]
    pub fn covers(&self, key: PatternKey) -> bool {
        self.covered.contains_key(&key)
    }

    /// The covered patterns.
    pub fn patterns(&self) -> impl Iterator<Item = PatternKey> {
        self.covered.keys().copied()
    }

    /// The sites seen.
    #[must_use]
    pub fn sites(&self) -> &SiteTable {
        &self.sites
    }

    /// The sites, to number those of other views of the same executions alike.
    pub(crate) fn sites_mut(&mut self) -> &mut SiteTable {
        &mut self.sites
    }

    /// The accesses of the execution that was observed last.
    #[must_use]
    pub fn accesses(&self) -> &Accesses {
        &self.accesses
    }

    /// A point for each execution that added some, thinned out when they become many.
    #[must_use]
    pub fn curve(&self) -> &[CurvePoint] {
        &self.curve
    }

    /// The numbers.
    #[must_use]
    pub fn counts(&self) -> CoverageCounts {
        let popl = (4..=17).filter(|&number| {
            Pattern::new(number).is_some_and(|pattern| pattern.popl_number().is_some())
        });
        let (variables, bound, printed_bound) = self.variables.bounds();
        let named = self.strategies.iter().filter(|(name, _)| !name.is_empty());
        let stride = self.curve.len().div_ceil(POINTS_TOLD).max(1);
        let mut curve: Vec<CurvePoint> = self.curve.iter().copied().step_by(stride).collect();
        curve.extend(self.start.map(|start| self.point(start)));
        CoverageCounts {
            executions: self.executions,
            all_executions: self.executions + self.passed,
            covered: self.covered.len() as u64,
            by_pattern: self.by_pattern,
            by_strategy: named
                .map(|(name, count)| ((*name).to_owned(), *count))
                .collect(),
            bound,
            printed_bound,
            atomic_set: self.within_calls.len() as u64,
            atomic_set_popl: popl
                .map(|number| self.by_atomic_set[usize::from(number) - 4])
                .sum(),
            by_atomic_set: self.by_atomic_set,
            apart: self.apart.difference(&self.within_calls).count() as u64,
            sites: self.sites.len() as u64,
            variables,
            capped: self.finder.capped() + self.dropped,
            fields: Vec::new(),
            more_fields: 0,
            curve,
        }
    }
}
