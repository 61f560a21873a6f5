//! Explores one test: one strategy, or for `auto` exhaustive DPOR and, where that does not fit, a portfolio (ALGORITHMS H.1).

use std::collections::VecDeque;

use super::budget::{Budget, Meter};
use super::{Dfs, Dpor, Pct, Pos, Random, Urw};
use crate::execution::Strategy;
use crate::trace::ExecutionRecord;

/// Runs one execution of the test under a strategy. The campaign implements it with the engine.
pub trait RunOnce {
    /// The record lives until the next run.
    fn run_once(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord;
}

/// The strategies by name, each with what it is.
pub const STRATEGIES: [(&str, &str); 8] = [
    (
        "auto",
        "exhaustive while it fits the budget of the test, else a portfolio of the others",
    ),
    (
        "dpor",
        "every interleaving that can make a difference, once",
    ),
    ("dfs", "every interleaving with at most two preemptions"),
    ("random", "random walk"),
    ("pct", "random priorities, for bugs of depth three"),
    (
        "pos",
        "random priorities of operations, drawn anew at races",
    ),
    ("urw", "random walk, uniform over interleavings"),
    (
        "surw",
        "random walk, uniform over the interleavings of one location",
    ),
];

/// Preemptions of the bounded search.
const DFS_BOUND: u32 = 2;
/// Ordering constraints of a bug that PCT aims at.
const PCT_DEPTH: u32 = 3;

/// A part of `auto`: its share of the executions and of the time, in percent.
struct Part {
    name: &'static str,
    executions: u32,
    time: u32,
}

/// If the first part ends by itself, nothing is left for the others. What is sampled comes before what is searched in order: of a large
/// test, the search sees a corner only.
const PORTFOLIO: [Part; 5] = [
    Part {
        name: "dpor",
        executions: 100,
        time: 50,
    },
    Part {
        name: "surw",
        executions: 15,
        time: 20,
    },
    Part {
        name: "urw",
        executions: 10,
        time: 10,
    },
    Part {
        name: "pct",
        executions: 10,
        time: 10,
    },
    Part {
        name: "dfs",
        executions: 15,
        time: 10,
    },
];

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
        let phase = |name: &'static str, budget: Budget| -> Option<Phase> {
            let executions = budget.executions;
            let strategy: Box<dyn Strategy> = match name {
                "dpor" => Box::new(Dpor::new()),
                "dfs" => Box::new(Dfs::new(Some(DFS_BOUND))),
                "random" => Box::new(Random::new(seed, executions)),
                "pct" => Box::new(Pct::new(seed, PCT_DEPTH, executions)),
                "pos" => Box::new(Pos::new(seed, executions)),
                "urw" => Box::new(Urw::new(seed, executions)),
                "surw" => Box::new(Urw::selective(seed, executions)),
                _ => return None,
            };
            Some(Phase {
                name,
                strategy,
                budget,
                exhaustive: name == "dpor",
            })
        };
        let phases: Option<Vec<Phase>> = if strategy == "auto" {
            PORTFOLIO
                .iter()
                .map(|part| phase(part.name, budget.part(part.executions, part.time)))
                .collect()
        } else {
            let name = STRATEGIES
                .iter()
                .map(|(name, _)| *name)
                .find(|name| *name == strategy);
            name.and_then(|name| phase(name, budget))
                .map(|phase| vec![phase])
        };
        let Some(phases) = phases else {
            return Err(strategy.to_owned());
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

    /// Under this strategy; it is exhausted when the strategy says so.
    #[must_use]
    pub fn by(strategy: Box<dyn Strategy>, budget: Budget) -> Self {
        Self::of(vec![Phase {
            name: "strategy",
            strategy,
            budget,
            exhaustive: true,
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
