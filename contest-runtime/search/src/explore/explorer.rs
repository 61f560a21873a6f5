//! Explores one test: one strategy, or for `auto` exhaustive DPOR and, where that does not fit, a portfolio.

use std::sync::Arc;

use super::by_name::{bounded, grouped, in_turns, named, unplanned, weak, weak_in_turns};
use super::weak_races::WeakRaces;
use crate::strategies::{Budget, PartReport, Portfolio};
use contest_data::atomic_sets::AtomicSets;
use contest_data::decision::{Strategy, Traces};
use contest_data::gap::{Gap, Gaps};
use contest_data::limits::{Leeway, MemoryModel};
use contest_data::trace::{Action, Drawn, Event, ExecutionRecord, ObjectId};

/// Runs one execution of the test under a strategy. The campaign implements it with the engine.
pub trait RunOnce {
    /// Called before each run. It says whether the execution belongs to an exhaustive search, on which claims about
    /// every interleaving rest.
    fn exhaustive(&mut self, _is: bool) {}

    /// The record lives until the next run.
    fn run_once(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord;
}

/// The exploration of one test.
#[derive(Debug)]
pub struct Explorer {
    strategy: Portfolio,
    executions: u64,
    /// What goes on under RC11 where that may differ.
    weak: Option<Afterwards>,
    /// That has run last.
    is_weak: bool,
    /// All of it is under RC11.
    only_weak: bool,
    /// Why executions had no strategy choose all that may happen otherwise.
    gaps: Gaps,
    /// Random numbers that executions drew.
    drawn: Drawn,
    /// What may be different under RC11.
    races: WeakRaces,
    /// An execution did what the model of RC11 does not have.
    unmodelled: bool,
}

/// An exploration under RC11 beside one under sequential consistency.
#[derive(Debug)]
struct Afterwards {
    strategy: Portfolio,
    executions: u64,
    /// It may show what no sequentially consistent execution does.
    may_differ: bool,
    /// After everything was explored: no bound on its executions relative to the others.
    to_the_end: bool,
    over: bool,
}

/// Executions before the first one under RC11, unless everything was explored before.
const SC_FIRST: u64 = 6;
/// From then on one of so many executions is under RC11.
const WEAK_EVERY: u64 = 4;
/// After everything was explored: most executions under RC11, relative to the others, and ...
const WEAK_SHARE: u64 = 2;
/// ... at least so many.
const WEAK_LEAST: u64 = 96;

impl Explorer {
    /// Under the strategy of this name.
    ///
    /// # Errors
    /// The name, if there is no such strategy.
    pub fn new(strategy: &str, seed: u64, budget: Budget) -> Result<Self, String> {
        named(strategy, seed, budget).map(Self::of)
    }

    /// As [`Explorer::new`], for executions under RC11.
    ///
    /// # Errors
    /// The name, if there is no such strategy.
    pub fn weak(strategy: &str, seed: u64, budget: Budget) -> Result<Self, String> {
        weak(strategy, seed, budget).map(Self::of_weak)
    }

    /// As [`Explorer::new`]; for strategies that use atomic sets.
    ///
    /// # Errors
    /// The name, if there is no such strategy.
    pub fn grouped(
        strategy: &str,
        seed: u64,
        budget: Budget,
        sets: &Arc<AtomicSets>,
    ) -> Result<Self, String> {
        grouped(strategy, seed, budget, sets).map(Self::of)
    }

    /// An exploration that goes on again and again, for at most so many executions in all. Under `auto` strategies take
    /// turns from the first execution on. It does not depend on time.
    ///
    /// # Errors
    /// The name, if there is no such strategy.
    pub fn in_turns(
        strategy: &str,
        seed: u64,
        executions: u64,
        sets: &Arc<AtomicSets>,
    ) -> Result<Self, String> {
        in_turns(strategy, seed, executions, sets).map(Self::of)
    }

    /// As [`in_turns`](Self::in_turns), under RC11.
    ///
    /// # Errors
    /// The name, if there is no such strategy.
    pub fn weak_in_turns(strategy: &str, seed: u64, executions: u64) -> Result<Self, String> {
        weak_in_turns(strategy, seed, executions).map(Self::of_weak)
    }

    /// Goes on under RC11: when everything was explored, and from time to time when many executions have shown nothing.
    /// Only where [`WeakRaces`] may make a difference.
    #[must_use]
    pub fn then_weak(mut self, seed: u64, executions: u64) -> Self {
        let strategy = weak_in_turns("auto", seed, executions).ok();
        self.weak = strategy.map(|strategy| Afterwards {
            strategy,
            executions: 0,
            may_differ: false,
            to_the_end: false,
            over: false,
        });
        self
    }

    /// After [`then_weak`](Self::then_weak): goes on until every execution graph was explored.
    #[must_use]
    pub fn to_the_end(mut self) -> Self {
        if let Some(weak) = &mut self.weak {
            weak.to_the_end = true;
        }
        self
    }

    /// Strategies in turns, without the one that plans its executions: a quick look whether a bug shows in a test.
    #[must_use]
    pub fn unplanned(seed: u64, budget: Budget) -> Self {
        Self::of(unplanned(seed, budget))
    }

    /// Depth-first, with at most this many preemptions; with one, in turns with the executions that have it where it
    /// may make a difference.
    #[must_use]
    pub fn bounded(preemptions: u32, budget: Budget, model: MemoryModel) -> Self {
        Self::of(bounded(preemptions, budget, model))
    }

    /// With at least this leeway in every execution.
    #[must_use]
    pub fn with(mut self, leeway: Leeway) -> Self {
        self.strategy = self.strategy.with(leeway);
        self.weak = self.weak.map(|weak| Afterwards {
            strategy: weak.strategy.with(leeway),
            ..weak
        });
        self
    }

    /// Under this strategy; it is exhausted when the strategy says so.
    #[must_use]
    pub fn by(strategy: Box<dyn Strategy>, budget: Budget) -> Self {
        Self::of(Portfolio::only("strategy", strategy, budget))
    }

    fn of(strategy: Portfolio) -> Self {
        Self {
            strategy,
            executions: 0,
            weak: None,
            is_weak: false,
            only_weak: false,
            gaps: Gaps::NONE,
            drawn: Drawn::Nothing,
            races: WeakRaces::default(),
            unmodelled: false,
        }
    }

    fn of_weak(strategy: Portfolio) -> Self {
        Self {
            only_weak: true,
            ..Self::of(strategy)
        }
    }

    /// Runs the next execution; `None` when the exploration is over.
    pub fn next<'r>(&mut self, run: &'r mut dyn RunOnce) -> Option<&'r ExecutionRecord> {
        let executions = self.executions;
        self.is_weak = executions >= SC_FIRST
            && executions.is_multiple_of(WEAK_EVERY)
            && self.weak.as_mut().is_some_and(Afterwards::begin);
        if !self.is_weak && !self.strategy.begin() {
            if !self.strategy.exhausted() {
                return None;
            }
            let weak = self.weak.as_mut()?;
            let most = WEAK_LEAST.max(WEAK_SHARE * (executions - weak.executions));
            weak.over |= !weak.to_the_end && weak.executions >= most;
            if !weak.begin() {
                return None;
            }
            self.is_weak = true;
        }
        self.executions += 1;
        if self.is_weak
            && let Some(weak) = &mut self.weak
        {
            weak.executions += 1;
            run.exhaustive(weak.strategy.is_exhaustive());
            let record = run.run_once(&mut weak.strategy);
            weak.strategy.end(record);
            return Some(record);
        }
        run.exhaustive(self.strategy.is_exhaustive());
        let record = run.run_once(&mut self.strategy);
        self.strategy.end(record);
        self.gaps.join(&record.gaps);
        self.drawn = self.drawn.max(record.drawn);
        let unmodelled = unmodelled(record).is_some();
        self.unmodelled |= unmodelled;
        self.races.see(record);
        if let Some(weak) = &mut self.weak {
            weak.may_differ = self.races.make_a_difference() && !unmodelled;
        }
        Some(record)
    }

    /// Executions so far.
    #[must_use]
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// Name of the strategy that steered the last execution.
    #[must_use]
    pub fn strategy(&self) -> &'static str {
        match &self.weak {
            Some(weak) if self.is_weak => weak.strategy.part(),
            _ => self.strategy.part(),
        }
    }

    /// True once no execution is left that a strategy would explore. Every interleaving was run only if there are no
    /// [`gaps`](Self::gaps).
    #[must_use]
    pub fn exhausted(&self) -> bool {
        self.strategy.exhausted() && !self.is_left_to_weak()
    }

    /// True once everything was explored under the model that comes first, whatever is left under RC11.
    #[must_use]
    pub fn is_explored(&self) -> bool {
        self.strategy.exhausted()
    }

    /// True if everything was explored under sequential consistency, and goes on under RC11.
    #[must_use]
    pub fn is_left_to_weak(&self) -> bool {
        let goes_on = |weak: &Afterwards| weak.may_differ && !weak.over;
        self.strategy.exhausted() && self.weak.as_ref().is_some_and(goes_on)
    }

    /// Executions under RC11 that [`then_weak`](Self::then_weak) has added.
    #[must_use]
    pub fn weak_executions(&self) -> u64 {
        self.weak.as_ref().map_or(0, |weak| weak.executions)
    }

    /// True once every execution graph was explored under RC11, after [`then_weak`](Self::then_weak).
    #[must_use]
    pub fn weak_exhausted(&self) -> bool {
        let exhausted = |weak: &Afterwards| weak.executions > 0 && weak.strategy.exhausted();
        self.weak.as_ref().is_some_and(exhausted)
    }

    /// Why it may not be said that every interleaving was run; of the part under sequential consistency, if there are
    /// two. All of it had one draw of random numbers.
    #[must_use]
    pub fn gaps(&self) -> Gaps {
        let mut gaps = self.gaps_of_draw();
        if self.drawn != Drawn::Nothing {
            gaps.add(Gap::Randomness(1));
        }
        gaps
    }

    /// The same of interleavings under this draw of random numbers: for those who explore several.
    #[must_use]
    pub fn gaps_of_draw(&self) -> Gaps {
        let mut gaps = self.strategy.missing();
        gaps.join(&self.gaps);
        gaps
    }

    /// True if all that was explored holds under sequential consistency, and may not hold under RC11.
    #[must_use]
    pub fn is_only_sc(&self) -> bool {
        (self.races.make_a_difference() || self.unmodelled)
            && !self.only_weak
            && !self.weak_exhausted()
    }

    /// About how many executions are left until every interleaving was explored; `None` if that is not in sight.
    #[must_use]
    pub fn rest(&self) -> Option<f64> {
        self.strategy.rest()
    }

    /// For each strategy that was used: its executions, and why it ended.
    #[must_use]
    pub fn parts(&self) -> Vec<PartReport> {
        self.strategy.parts()
    }

    /// Counters of the strategies with their names in reports.
    #[must_use]
    pub fn counts(&self) -> Vec<(&'static str, u64)> {
        self.strategy.counted()
    }

    /// Traces explored so far, if the strategy counts them.
    #[must_use]
    pub fn traces(&self) -> Option<Traces> {
        self.strategy.traces()
    }
}

impl Afterwards {
    /// Prepares the next execution; `false` if there is none.
    fn begin(&mut self) -> bool {
        if !self.may_differ || self.over {
            return false;
        }
        self.over = !self.strategy.begin();
        !self.over
    }
}

/// True for a block of inline assembly: an atomic operation with a second object is one, too.
fn is_assembly(event: &Event) -> bool {
    match event.action {
        Action::Assembly => true,
        Action::Rmw(..) | Action::CasFail(_) => event.second != ObjectId::NONE,
        _ => false,
    }
}

/// What an execution did that the model of RC11 does not have, if anything.
#[must_use]
pub fn unmodelled(record: &ExecutionRecord) -> Option<&'static str> {
    if !record.schedule.visible.is_empty() {
        return Some("reads of contended plain memory are not modelled");
    }
    let assembly = record.events.iter().any(is_assembly);
    assembly.then_some("inline assembly is not modelled")
}
