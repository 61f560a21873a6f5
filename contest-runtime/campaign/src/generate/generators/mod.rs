//! Where tests come from, by name: the ladder of shapes, the generators of the literature, and all of them in turn.
//!
//! A generator is a source of tests. [`TestSource`] drops a test that any generator has made before. What a
//! generator proposes depends on the seed, the subject and what sequences of calls show when one thread runs them,
//! never on time.

use super::TestStream;
use super::pair_order::PairOrder;
use super::parts::Parts;
use crate::generate::call_tree::{RunSequence, SequenceRun};
use crate::generate::sequences::SearchTotals;
use crate::generate::{DependencyTable, Ladder, RandomCalls};
use contest_data::dependencies::Dependencies;
use contest_data::settings::Prunings;
use contest_data::settings::SizeBounds;
use contest_data::settings::TestSize;
use contest_data::subject::Subject;
use contest_data::test::{ConcurrentTest, TestCall, TestObject};

mod autocontest;
mod callbacks;
mod consuite;
mod covcon;
mod depcon;
mod disturb;
mod effects;
mod holders;
mod in_turn;
mod injection;
mod known_runs;
mod maptest;
mod mixed;
mod random;
mod user_modes;
mod waiters;

use autocontest::AutoConTest;
use callbacks::Callbacks;
use consuite::ConSuite;
use covcon::CovCon;
use depcon::DepCon;
use effects::Effects;
use holders::Holders;
use in_turn::{InTurn, NOT_OF_AUTO, OF_AUTO};
use injection::Injection;
use maptest::MapTest;
use mixed::Mixed;
use random::ConTeGe;
use waiters::Waiters;

/// What a look for the next test gives.
#[derive(Debug)]
pub(crate) enum Look {
    Test(ConcurrentTest),
    /// None among very many candidates; there may be more.
    Pause,
    /// Nothing new comes.
    End,
}

/// Runs a sequence of calls on a fresh object, in one thread. The campaign implements it with the engine.
pub(crate) trait RunCalls {
    /// Makes the object and runs the calls in order.
    fn run_calls(&mut self, object: &TestObject, calls: &[TestCall]) -> SequenceRun;
}

/// One generator.
trait Generator: std::fmt::Debug {
    /// The next test; it may have been made before. `None` if there is nothing left, or none yet.
    fn propose(&mut self, parts: &mut Parts, runner: &mut dyn RunCalls) -> Option<ConcurrentTest>;
    /// True if it has none yet because it goes on looking in its next turn.
    fn goes_on(&self) -> bool {
        false
    }
    /// True if its tests stay as they are: no future of them is used otherwise, no object made in another way.
    fn is_exact(&self) -> bool {
        false
    }
    /// What searching for sequences cost.
    fn searches(&self) -> SearchTotals {
        SearchTotals::default()
    }
    /// What it left out, with the reason.
    fn left_out(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// The source of tests of one subject.
#[derive(Debug)]
pub(crate) struct TestSource {
    generators: InTurn,
    pairs: Vec<(u16, u16)>,
    pruned: usize,
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
        bounds: SizeBounds,
        seed: u64,
        dependencies: &Dependencies,
        prunings: Prunings,
    ) -> Result<Self, String> {
        let table = DependencyTable::new(dependencies);
        let calls = RandomCalls::new(subject);
        let order = PairOrder::new(&calls, &table);
        let steered = matches!(
            generator,
            "auto" | "ladder" | "depcon" | "effects" | "maptest" | "mixed"
        );
        let pruned = if steered { order.pruned } else { 0 };
        let pairs = order.possible.clone();
        let mut generators = InTurn::new(calls);
        let of_auto = generator == "auto";
        if of_auto || generator == "ladder" {
            let ladder = Ladder::new(subject, index, bounds, seed, &table);
            generators.climb(ladder, if of_auto { OF_AUTO.ladder } else { 1 });
        }
        let others = OF_AUTO.others.iter().filter(|_| of_auto);
        let all = OF_AUTO.others.iter().chain(&NOT_OF_AUTO);
        let only = all.filter(|(name, ..)| *name == generator);
        for &(name, share, size) in others.chain(only) {
            let size =
                if of_auto || matches!(name, "callbacks" | "holders" | "injection" | "waiters") {
                    bounds.or(size)
                } else {
                    bounds.or(TestSize::USUAL)
                };
            // A seed gives the same tests as before it had this name.
            let purpose = if name == "mixed" { "autocontest" } else { name };
            let parts = Parts::new(subject, index, size, seed, purpose, table.clone());
            let made = named(name, &parts, &order, prunings, seed, &table);
            generators.add(made, parts, share);
        }
        if generators.is_empty() {
            return Err(generator.to_owned());
        }
        Ok(Self {
            generators,
            pairs,
            pruned,
        })
    }

    /// From here on some futures are kept without being polled, in tests that are of no rung of the ladder.
    pub(crate) fn keep_futures(&mut self) {
        self.generators.keep_futures();
    }

    /// Looks for the next test.
    pub(crate) fn look(&mut self, runner: &mut dyn RunCalls) -> Look {
        if self.pairs.is_empty() {
            return Look::End;
        }
        self.generators.look(runner)
    }

    /// The next test, however long that takes; `None` once nothing new comes.
    #[cfg(test)]
    pub(crate) fn next(&mut self, runner: &mut dyn RunCalls) -> Option<ConcurrentTest> {
        loop {
            match self.look(runner) {
                Look::Test(test) => return Some(test),
                Look::Pause => {}
                Look::End => return None,
            }
        }
    }

    /// The unordered pairs of operations that threads can have on one object at the same time.
    #[must_use]
    pub(crate) fn pairs(&self) -> &[(u16, u16)] {
        &self.pairs
    }

    /// Of these, how many are left out because the two are proved unable to disturb each other.
    #[must_use]
    pub(crate) fn pruned(&self) -> usize {
        self.pruned
    }

    /// The ladder of shapes, if the generator has one.
    #[must_use]
    pub(crate) fn ladder(&self) -> Option<&Ladder> {
        self.generators.ladder()
    }

    /// What searching for sequences cost.
    #[must_use]
    pub(crate) fn searches(&self) -> SearchTotals {
        self.generators.searches()
    }

    /// What the generators left out, with the reason and how often.
    #[must_use]
    pub(crate) fn left_out(&self) -> Vec<(&'static str, u64)> {
        self.generators.left_out()
    }
}

/// A generator that is listed in [`OF_AUTO`] or [`NOT_OF_AUTO`].
fn named(
    name: &str,
    parts: &Parts,
    order: &PairOrder,
    prunings: Prunings,
    seed: u64,
    table: &DependencyTable,
) -> Box<dyn Generator> {
    match name {
        "autocontest" => Box::new(AutoConTest::new(&parts.calls, prunings)),
        "callbacks" => Box::new(Callbacks::default()),
        "consuite" => Box::new(ConSuite::default()),
        "covcon" => Box::new(CovCon::new(&parts.calls)),
        "depcon" => Box::new(DepCon::new(parts, &order.kept)),
        "effects" => Box::new(Effects::new(order.kept.clone())),
        "holders" => Box::new(Holders::default()),
        "injection" => Box::new(Injection::default()),
        "maptest" => Box::new(MapTest::new(order.kept.clone())),
        "random" => Box::new(ConTeGe),
        "waiters" => Box::new(Waiters::default()),
        _ => {
            let (subject, index) = (parts.calls.subject(), parts.index);
            Box::new(Mixed::new(
                TestStream::new(subject, index, parts.size, seed, table),
                prunings,
                DepCon::new(parts, &order.kept),
                MapTest::new(order.kept.clone()),
            ))
        }
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
