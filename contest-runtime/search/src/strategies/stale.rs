//! A strategy for a weak memory model on top of one that knows only threads: some operations take an older write.

use contest_data::decision::{Choice, DecisionPoint, MemoryPoint, Strategy, Traces};
use contest_data::limits::MemoryModel;
use contest_data::rng::Rng;
use contest_data::trace::{Action, ExecutionRecord};

/// A store comes somewhere before the end of the modification order, or a read-modify-write takes an older write,
/// once in so many times where that is possible: it is seldom what makes a difference.
const MISPLACED: u32 = 16;

/// A weak compare-exchange that could succeed fails once in so many times.
pub(super) const SPURIOUS: u32 = 8;

/// How many operations of an execution take an older write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Each read with probability 1/2.
    Coin,
    /// So many, each early enough with probability 1/4.
    AtMost(u32),
}

/// Executions follow these rules in turn: one or two stale reads show most, and are the easier to understand.
const RULES: [Rule; 4] = [Rule::AtMost(1), Rule::Coin, Rule::AtMost(2), Rule::Coin];

/// Picks threads as another strategy does, and lets reads take older writes at random.
pub struct Stale {
    threads: Box<dyn Strategy>,
    rng: Rng,
    executions: usize,
    rule: Rule,
    stale: u32,
}

impl std::fmt::Debug for Stale {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stale")
            .field("rule", &self.rule)
            .finish_non_exhaustive()
    }
}

impl Stale {
    /// On top of this strategy.
    #[must_use]
    pub fn new(threads: Box<dyn Strategy>, seed: u64) -> Self {
        Self {
            threads,
            rng: Rng::new(seed),
            executions: 0,
            rule: Rule::Coin,
            stale: 0,
        }
    }

    fn takes_older(&mut self, only_reads: bool) -> bool {
        if !only_reads {
            return self.rng.below(MISPLACED) == 0;
        }
        match self.rule {
            Rule::Coin => self.rng.coin(),
            Rule::AtMost(most) => self.stale < most && self.rng.below(4) == 0,
        }
    }
}

impl Strategy for Stale {
    fn begin(&mut self) -> bool {
        self.rule = RULES[self.executions % RULES.len()];
        self.executions += 1;
        self.stale = 0;
        self.threads.begin()
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        self.threads.thread(point)
    }

    fn memory(&mut self, point: &MemoryPoint<'_>) -> Option<u16> {
        let alternatives = point.alternatives.len() as u32;
        if alternatives < 2 {
            return Some(0);
        }
        // A compare-exchange that fails is a read.
        let fails = |at: u16| {
            let write = point.writes[usize::from(at)];
            point
                .exchange
                .is_some_and(|(expected, _)| write.value != expected)
        };
        let only_reads = matches!(point.pending.action, Action::Load(_))
            || point.alternatives[1..].iter().any(|&at| fails(at));
        if !self.takes_older(only_reads) {
            return Some(0);
        }
        self.stale += 1;
        Some(1 + self.rng.below(alternatives - 1) as u16)
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        self.threads.value(alternatives)
    }

    fn fails_spuriously(&mut self) -> bool {
        self.rng.below(SPURIOUS) == 0
    }

    fn memory_model(&self) -> Option<MemoryModel> {
        Some(MemoryModel::Rc11)
    }

    fn seed(&mut self) -> u64 {
        self.threads.seed()
    }

    fn end(&mut self, record: &ExecutionRecord) {
        self.threads.end(record);
    }

    fn needs_forced_points(&self) -> bool {
        self.threads.needs_forced_points()
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        self.threads.counts()
    }

    fn traces(&self) -> Option<Traces> {
        self.threads.traces()
    }
}
