//! Where tests come from, by name: the generators of the literature side by side, and the one that is all of them as
//! one.
//!
//! A generator is an endless source of tests; that no test comes twice is seen to here. What it proposes depends on the
//! seed, the subject and what sequences of calls show when one thread runs them, never on time.

use std::collections::HashSet;

use super::TestStream;
use super::ends::respects_ends;
use super::pair_order::PairOrder;
use super::parts::Parts;
use crate::generate::DependencyTable;
use crate::generate::call_tree::{RunSequence, SequenceRun};
use crate::generate::sequences::SearchTotals;
use contest_data::dependencies::Dependencies;
use contest_data::settings::Prunings;
use contest_data::settings::TestSize;
use contest_data::subject::Subject;
use contest_data::test::{ConcurrentTest, TestCall, TestObject};

mod autocontest;
mod consuite;
mod covcon;
mod depcon;
mod identity;
mod maptest;
mod random;

use autocontest::AutoConTest;
use consuite::ConSuite;
use covcon::CovCon;
use depcon::DepCon;
pub(super) use identity::identity;
use maptest::MapTest;
use random::ConTeGe;

/// Proposals in a row that were made before, after which a generator has nothing new.
const PATIENCE: u32 = 5_000;

/// Runs a sequence of calls on a fresh object, in one thread. The campaign implements it with the engine.
pub(crate) trait RunCalls {
    /// Makes the object and runs the calls in order.
    fn run_calls(&mut self, object: &TestObject, calls: &[TestCall]) -> SequenceRun;
}

/// One generator.
trait Generator: std::fmt::Debug {
    /// The next test; it may have been made before. `None` if there is nothing left.
    fn propose(&mut self, parts: &mut Parts, runner: &mut dyn RunCalls) -> Option<ConcurrentTest>;
    /// What searching for sequences cost.
    fn searches(&self) -> SearchTotals {
        SearchTotals::default()
    }
    /// What it left out, with the reason.
    fn left_out(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
    /// Tests before all pairs had theirs, for the budget of each.
    fn in_first_rounds(&self) -> bool;
}

/// The source of tests of one subject.
#[derive(Debug)]
pub(crate) struct TestSource {
    generator: Box<dyn Generator>,
    parts: Parts,
    pairs: usize,
    pruned: usize,
    made: usize,
    seen: HashSet<u64>,
}

impl TestSource {
    /// Of the subject with this index; the same seed gives the same tests.
    ///
    /// # Errors
    /// The name, if there is no generator of this name.
    pub(crate) fn new(
        generator: &str,
        subject: &'static Subject,
        index: u16,
        size: TestSize,
        seed: u64,
        dependencies: &Dependencies,
        prunings: Prunings,
    ) -> Result<Self, String> {
        let table = DependencyTable::new(dependencies);
        let parts = Parts::new(subject, index, size, seed, generator, table.clone());
        let order = PairOrder::new(&parts.calls, &table);
        let steered = matches!(generator, "autocontest" | "depcon" | "maptest");
        let pruned = if steered { order.pruned } else { 0 };
        let pairs = order.possible;
        let generator: Box<dyn Generator> = match generator {
            "autocontest" => {
                let stream = TestStream::new(subject, index, size, seed, &table);
                Box::new(AutoConTest::new(
                    stream,
                    prunings,
                    DepCon::new(&parts, &order.kept),
                    MapTest::new(order.kept),
                ))
            }
            "consuite" => Box::new(ConSuite::default()),
            "covcon" => Box::new(CovCon::new(&parts.calls)),
            "depcon" => Box::new(DepCon::new(&parts, &order.kept)),
            "maptest" => Box::new(MapTest::new(order.kept)),
            "random" => Box::new(ConTeGe),
            other => return Err(other.to_owned()),
        };
        Ok(Self {
            generator,
            parts,
            pairs,
            pruned,
            made: 0,
            seen: HashSet::new(),
        })
    }

    /// The next test; `None` once nothing new comes.
    pub(crate) fn next(&mut self, runner: &mut dyn RunCalls) -> Option<ConcurrentTest> {
        if self.pairs == 0 {
            return None;
        }
        for _ in 0..PATIENCE {
            let test = self.generator.propose(&mut self.parts, runner)?;
            let possible = respects_ends(self.parts.calls.subject(), &test);
            if possible && self.seen.insert(identity(&test)) {
                self.made += 1;
                return Some(test);
            }
        }
        None
    }

    /// Number of unordered pairs of operations.
    #[must_use]
    pub(crate) fn pairs(&self) -> usize {
        self.pairs
    }

    /// Of these, how many are left out because the two are proved unable to disturb each other.
    #[must_use]
    pub(crate) fn pruned(&self) -> usize {
        self.pruned
    }

    /// True while every pair has not yet had its first test.
    #[must_use]
    pub(crate) fn in_first_round(&self) -> bool {
        self.made <= self.pairs - self.pruned
    }

    /// True as long as tests that were cut wait for their second visit.
    #[must_use]
    pub(crate) fn in_first_rounds(&self) -> bool {
        self.generator.in_first_rounds()
    }

    /// What searching for sequences cost.
    #[must_use]
    pub(crate) fn searches(&self) -> SearchTotals {
        self.generator.searches()
    }

    /// What the generator left out, with the reason and how often.
    #[must_use]
    pub(crate) fn left_out(&self) -> Vec<(&'static str, u64)> {
        self.generator.left_out()
    }
}

/// Sequences on one object.
struct OnObject<'a> {
    runner: &'a mut dyn RunCalls,
    object: &'a TestObject,
}

impl RunSequence<TestCall> for OnObject<'_> {
    fn run_sequence(&mut self, calls: &[TestCall]) -> SequenceRun {
        self.runner.run_calls(self.object, calls)
    }
}

#[cfg(test)]
mod tests;
