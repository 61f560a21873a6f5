//! Explores one test: one strategy, or for `auto` exhaustive DPOR and, where that does not fit, a portfolio.

use std::sync::Arc;

use super::by_name::{bounded, grouped, in_turns, named, weak};
use crate::strategies::{Budget, PartReport, Portfolio};
use contest_data::atomic_sets::AtomicSets;
use contest_data::decision::{Strategy, Traces};
use contest_data::trace::ExecutionRecord;

/// Runs one execution of the test under a strategy. The campaign implements it with the engine.
pub trait RunOnce {
    /// The record lives until the next run.
    fn run_once(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord;
}

/// The exploration of one test.
#[derive(Debug)]
pub struct Explorer {
    strategy: Portfolio,
    executions: u64,
}

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
        weak(strategy, seed, budget).map(Self::of)
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

    /// Depth-first, with at most this many preemptions.
    #[must_use]
    pub fn bounded(preemptions: u32, budget: Budget) -> Self {
        Self::of(bounded(preemptions, budget))
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
        }
    }

    /// Runs the next execution; `None` when the exploration is over.
    pub fn next<'r>(&mut self, run: &'r mut dyn RunOnce) -> Option<&'r ExecutionRecord> {
        if !self.strategy.begin() {
            return None;
        }
        self.executions += 1;
        let record = run.run_once(&mut self.strategy);
        self.strategy.end(record);
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
        self.strategy.part()
    }

    /// True once every interleaving was explored.
    #[must_use]
    pub fn exhausted(&self) -> bool {
        self.strategy.exhausted()
    }

    /// Why not all interleavings were explored, if so.
    #[must_use]
    pub fn cut(&self) -> Option<String> {
        self.strategy.cut()
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
