//! MAP-coverage (Zhao et al.: Achieving high MAP-coverage through pattern constraint reduction, section 2.4; ALGORITHMS B.2): the patterns
//! that a set of executions has shown, out of an upper bound of those there could be.
//!
//! Deviations: accesses are those that were executed, where the paper takes the instructions of the class; variables are told apart by the
//! sites that access them, sites that ever meet on one object being one variable; and the bound counts the pairs of variables in both
//! orders, since their instances are different (the paper's formula counts one order and is given as [`CoverageCounts::printed_bound`]).

use super::access::{Accesses, Contents};
use super::fast_hash::{FastMap, FastSet};
use super::instances::{InstanceFinder, PatternKey};
use super::sites::{SiteId, SiteTable};
use crate::trace::ExecutionRecord;

/// Points that the curve keeps; of a longer one every second is dropped.
const MOST_POINTS: usize = 1_024;
/// Patterns that are remembered; those beyond are counted as dropped.
const MOST_PATTERNS: usize = 1 << 20;

/// The numbers, as plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "driver", derive(serde::Serialize, serde::Deserialize))]
pub struct CoverageCounts {
    /// Executions looked at.
    pub executions: u64,
    /// Different patterns covered.
    pub covered: u64,
    /// Of these, by pattern 1 to 17.
    pub by_pattern: [u64; 17],
    /// Upper bound of the patterns there are, with the sites seen so far.
    pub bound: u64,
    /// The same by the paper's formula.
    pub printed_bound: u64,
    /// Covered patterns among the 14 atomic-set ones in which each thread's accesses are in one call.
    pub atomic_set: u64,
    /// Of these, among the 11 of the original list.
    pub atomic_set_popl: u64,
    /// Sites that access shared variables.
    pub sites: u64,
    /// Variables, told apart by their sites.
    pub variables: u64,
    /// What the caps cut off: instances not looked at, patterns not remembered.
    pub capped: u64,
}

/// Coverage of a growing set of executions of one type or one test.
#[derive(Clone, Debug, Default)]
pub struct MapCoverage {
    sites: SiteTable,
    contents: Contents,
    accesses: Accesses,
    finder: InstanceFinder,
    covered: FastSet<PatternKey>,
    within_calls: FastSet<PatternKey>,
    variables: Variables,
    executions: u64,
    dropped: u64,
    curve: Vec<(u64, u64)>,
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

    /// Takes an execution in; returns how many patterns it was the first to show.
    pub fn observe(&mut self, record: &ExecutionRecord) -> u64 {
        self.executions += 1;
        let before = self.covered.len();
        self.accesses.read(record, &mut self.sites, self.contents);
        self.variables.join_sites(&self.accesses);
        let Self {
            accesses,
            finder,
            covered,
            within_calls,
            dropped,
            ..
        } = self;
        finder.find(accesses, |instance| {
            if covered.len() < MOST_PATTERNS {
                covered.insert(instance.key);
                if instance.within_calls && instance.key.pattern().is_atomic_set() {
                    within_calls.insert(instance.key);
                }
            } else if !covered.contains(&instance.key) {
                *dropped += 1;
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
            self.curve
                .push((self.executions, self.covered.len() as u64));
        }
        new as u64
    }

    /// True if some execution has shown this pattern.
    #[must_use]
    pub fn covers(&self, key: PatternKey) -> bool {
        self.covered.contains(&key)
    }

    /// The covered patterns.
    pub fn patterns(&self) -> impl Iterator<Item = PatternKey> {
        self.covered.iter().copied()
    }

    /// The sites seen.
    #[must_use]
    pub fn sites(&self) -> &SiteTable {
        &self.sites
    }

    /// The sites, to number those of other views of the same executions alike.
    pub fn sites_mut(&mut self) -> &mut SiteTable {
        &mut self.sites
    }

    /// The accesses of the execution that was observed last.
    #[must_use]
    pub fn accesses(&self) -> &Accesses {
        &self.accesses
    }

    /// Covered patterns after so many executions; a point for each execution that added some, thinned out when they become many.
    #[must_use]
    pub fn curve(&self) -> &[(u64, u64)] {
        &self.curve
    }

    /// The numbers.
    #[must_use]
    pub fn counts(&self) -> CoverageCounts {
        let mut by_pattern = [0; 17];
        for key in &self.covered {
            by_pattern[usize::from(key.pattern().number()) - 1] += 1;
        }
        let popl = |key: &&PatternKey| key.pattern().popl_number().is_some();
        let (variables, bound, printed_bound) = self.variables.bounds();
        CoverageCounts {
            executions: self.executions,
            covered: self.covered.len() as u64,
            by_pattern,
            bound,
            printed_bound,
            atomic_set: self.within_calls.len() as u64,
            atomic_set_popl: self.within_calls.iter().filter(popl).count() as u64,
            sites: self.sites.len() as u64,
            variables,
            capped: self.finder.capped() + self.dropped,
        }
    }
}

/// Sites by variable: classes of sites that met on an object.
#[derive(Clone, Debug, Default)]
struct Variables {
    parent: Vec<u32>,
    reads: Vec<bool>,
    writes: Vec<bool>,
    /// Objects of this site's class that were in use at once, by site of the class's root.
    several: FastMap<u32, bool>,
}

impl Variables {
    fn root(&mut self, site: u32) -> u32 {
        let mut site = site;
        while self.parent[site as usize] != site {
            let above = self.parent[self.parent[site as usize] as usize];
            self.parent[site as usize] = above;
            site = above;
        }
        site
    }

    fn fit(&mut self, site: SiteId) {
        while self.parent.len() <= site.0 as usize {
            self.parent.push(self.parent.len() as u32);
            self.reads.push(false);
            self.writes.push(false);
        }
    }

    fn join_sites(&mut self, accesses: &Accesses) {
        for list in &accesses.by_variable {
            let Some(&first) = list.first() else { continue };
            let one = accesses.get(first).site;
            self.fit(one);
            for &number in list {
                let access = accesses.get(number);
                self.fit(access.site);
                let site = access.site.0 as usize;
                self.reads[site] |= access.reads;
                self.writes[site] |= access.writes;
                let (a, b) = (self.root(one.0), self.root(access.site.0));
                if a != b {
                    self.parent[a.max(b) as usize] = a.min(b);
                    if self.several.remove(&a.max(b)).is_some() {
                        self.several.insert(a.min(b), true);
                    }
                }
            }
        }
        // Two objects of one class: pairs of them are patterns over two variables, too.
        for (index, list) in accesses.by_variable.iter().enumerate() {
            let Some(&first) = list.first() else { continue };
            let root = self.root(accesses.get(first).site.0);
            if self.several.contains_key(&root) {
                continue;
            }
            let again = accesses.by_variable[index + 1..].iter().any(|other| {
                other
                    .first()
                    .is_some_and(|&number| self.root_of(accesses.get(number).site.0) == root)
            });
            if again {
                self.several.insert(root, true);
            }
        }
    }

    fn root_of(&self, mut site: u32) -> u32 {
        while self.parent[site as usize] != site {
            site = self.parent[site as usize];
        }
        site
    }

    /// Number of variables, the bound with pairs of variables in both orders, and as printed in the paper.
    fn bounds(&self) -> (u64, u64, u64) {
        let mut classes: FastMap<u32, (u64, u64)> = FastMap::default();
        for site in 0..self.parent.len() {
            let class = classes.entry(self.root_of(site as u32)).or_default();
            class.0 += u64::from(self.reads[site]);
            class.1 += u64::from(self.writes[site]);
        }
        let one: u64 = classes
            .values()
            .map(|&(r, w)| 2 * r * w + w * w + r * r * w + 3 * r * w * w + w * w * w)
            .sum();
        // The sum over pairs x != y of a(x) a(y) is the square of the sum less the sum of squares.
        let ordered = |of: fn(u64, u64) -> u64| {
            let sum: u64 = classes.values().map(|&(r, w)| of(r, w)).sum();
            let squares: u64 = classes.values().map(|&(r, w)| of(r, w).pow(2)).sum();
            sum * sum - squares
        };
        let two = 3 * ordered(|_, w| w * w) + 6 * ordered(|r, w| r * w);
        let alike: u64 = self
            .several
            .keys()
            .filter_map(|root| classes.get(root))
            .map(|&(r, w)| 3 * w.pow(4) + 6 * (r * w).pow(2))
            .sum();
        (classes.len() as u64, one + two + alike, one + two / 2)
    }
}
