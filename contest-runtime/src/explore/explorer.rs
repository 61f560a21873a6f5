//! Explores one test: one strategy, or for `auto` exhaustive DPOR and, where that does not fit, a portfolio (ALGORITHMS H.1).

use std::collections::VecDeque;

use super::budget::{Budget, Meter};
use super::{Dfs, Dpor, Pct, Random};
use crate::execution::Strategy;
use crate::trace::ExecutionRecord;

/// Runs one execution of the test under a strategy. The campaign implements it with the engine.
pub trait RunOnce {
    /// The record lives until the next run.
    fn run_once(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord;
}

/// The strategies by name, each with what it is.
pub const STRATEGIES: [(&str, &str); 5] = [
    (
        "auto",
        "exhaustive while it fits the budget of the test, else a portfolio",
    ),
    (
        "dpor",
        "every interleaving that can make a difference, once",
    ),
    ("dfs", "every interleaving with at most two preemptions"),
    ("random", "random walk"),
    ("pct", "random priorities"),
];

/// Preemptions of the bounded search.
const DFS_BOUND: u32 = 2;
/// Ordering constraints of a bug that PCT aims at.
const PCT_DEPTH: u32 = 3;

struct Phase {
    name: &'static str,
    strategy: Box<dyn Strategy>,
    budget: Budget,
    /// Running out of executions proves that nothing else is there.
    exhaustive: bool,
}

/// The exploration of one test.
pub struct Explorer {
    phases: VecDeque<Phase>,
    meter: Option<Meter>,
    executions: u64,
    exhausted: bool,
    cut: Option<String>,
}

impl std::fmt::Debug for Explorer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Explorer")
            .field("executions", &self.executions)
            .field("exhausted", &self.exhausted)
            .field("cut", &self.cut)
            .finish_non_exhaustive()
    }
}

impl Explorer {
    /// Under the strategy of this name.
    ///
    /// # Errors
    /// The name, if there is no such strategy.
    pub fn new(strategy: &str, seed: u64, budget: Budget) -> Result<Self, String> {
        let dpor = |budget| Phase {
            name: "dpor",
            strategy: Box::new(Dpor::new()),
            budget,
            exhaustive: true,
        };
        let dfs = |budget, exhaustive| Phase {
            name: "dfs",
            strategy: Box::new(Dfs::new(Some(DFS_BOUND))),
            budget,
            exhaustive,
        };
        let random = |budget: Budget| Phase {
            name: "random",
            strategy: Box::new(Random::new(seed, budget.executions)),
            budget,
            exhaustive: false,
        };
        let pct = |budget: Budget| Phase {
            name: "pct",
            strategy: Box::new(Pct::new(seed, PCT_DEPTH, budget.executions)),
            budget,
            exhaustive: false,
        };
        let phases = match strategy {
            "auto" => vec![
                dpor(budget),
                dfs(budget.part(500, 4), false),
                random(budget.part(500, 4)),
                pct(budget.part(200, 4)),
            ],
            "dpor" => vec![dpor(budget)],
            "dfs" => vec![dfs(budget, false)],
            "random" => vec![random(budget)],
            "pct" => vec![pct(budget)],
            other => return Err(other.to_owned()),
        };
        Ok(Self::of(phases))
    }

    /// Depth-first, with at most this many preemptions.
    #[must_use]
    pub fn bounded(preemptions: u32, budget: Budget) -> Self {
        Self::of(vec![Phase {
            name: "dfs",
            strategy: Box::new(Dfs::new(Some(preemptions))),
            budget,
            exhaustive: false,
        }])
    }

    fn of(phases: Vec<Phase>) -> Self {
        Self {
            phases: phases.into(),
            meter: None,
            executions: 0,
            exhausted: false,
            cut: None,
        }
    }

    /// Runs the next execution; `None` when the exploration is over.
    pub fn next<'r>(&mut self, run: &'r mut dyn RunOnce) -> Option<&'r ExecutionRecord> {
        loop {
            let phase = self.phases.front_mut()?;
            let meter = self.meter.get_or_insert_with(|| Meter::start(phase.budget));
            match meter.spend() {
                Err(reason) => {
                    // What the first phase could not finish is what the test was cut by.
                    self.cut
                        .get_or_insert_with(|| format!("{}: {reason}", phase.name));
                    self.next_phase();
                }
                Ok(()) if phase.strategy.begin() => break,
                Ok(()) => {
                    if phase.exhaustive && phase.strategy.exhausted() {
                        self.exhausted = true;
                        self.phases.clear();
                        return None;
                    }
                    self.cut
                        .get_or_insert_with(|| format!("{}: not exhaustive", phase.name));
                    self.next_phase();
                }
            }
        }
        let phase = self.phases.front_mut()?;
        self.executions += 1;
        let record = run.run_once(&mut *phase.strategy);
        phase.strategy.end(record);
        Some(record)
    }

    fn next_phase(&mut self) {
        self.phases.pop_front();
        self.meter = None;
    }

    /// Executions so far.
    #[must_use]
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// True once every interleaving was explored.
    #[must_use]
    pub fn exhausted(&self) -> bool {
        self.exhausted
    }

    /// Why not all of them were, if so.
    #[must_use]
    pub fn cut(&self) -> Option<&str> {
        self.cut.as_deref()
    }
}
