//! The executions that are still to be asked about, and their candidates in the order of their ranks.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::research::predict::Name;
use crate::research::predict::{Candidate, Foresight, StepId, TraceModel};
use contest_data::trace::ExecutionRecord;

/// What was done about one pattern.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attempts {
    pub questions: u32,
    pub plans: u32,
}

/// How a pattern is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// All of it, with every value kept.
    Whole,
    /// All but its last access, whose thread then comes next: that access may not be reached.
    Open,
    /// All of it, with additions to counters taken to be of no consequence.
    Tentative,
}

/// A candidate and how to ask for it.
#[derive(Debug)]
pub(super) struct Ask {
    pub candidate: Candidate,
    pub form: Form,
}

/// Ranks; what would come later comes last.
const RANKS: usize = 160;

/// A trace and what is still to be asked about it.
#[derive(Debug)]
pub(super) struct Waiting {
    pub record: Arc<ExecutionRecord>,
    pub foresight: Foresight,
    /// By rank, each in the order they are asked for.
    asks: Vec<VecDeque<Ask>>,
    /// Windows to come.
    pub windows: VecDeque<usize>,
}

impl Waiting {
    pub(super) fn new(record: Arc<ExecutionRecord>, foresight: Foresight) -> Self {
        let mut asks = Vec::new();
        asks.resize_with(RANKS, VecDeque::new);
        Self {
            record,
            foresight,
            asks,
            windows: VecDeque::new(),
        }
    }

    pub(super) fn push(&mut self, rank: usize, ask: Ask) {
        self.asks[rank.min(RANKS - 1)].push_back(ask);
    }

    /// The rank of its best candidate.
    pub(super) fn best(&self) -> Option<usize> {
        self.asks.iter().position(|asks| !asks.is_empty())
    }

    pub(super) fn pop(&mut self, rank: usize) -> Option<Ask> {
        self.asks[rank].pop_front()
    }

    /// A pattern with the values that its steps wrote: shown with others, it may lead to another state.
    pub(super) fn state(&self, candidate: &Candidate) -> Name {
        let model = self.foresight.model();
        candidate.steps.iter().fold(
            Name::new().with(u64::from(candidate.number())),
            |name, &step| {
                let step = model.step(step);
                let access = step.access.filter(|access| access.valued);
                let wrote = access.map_or(0, |access| if access.writes { access.wrote } else { 0 });
                let site = step.access.map_or(0, |access| access.site.0);
                name.with(u64::from(site)).with(wrote)
            },
        )
    }
}

/// Lets solvers go until those of all others hold at most so many clauses together with the one that is needed now; how many it let go.
pub(super) fn let_go(waiting: &mut VecDeque<Waiting>, needed: usize, most: u64) -> u64 {
    let held = |waiting: &VecDeque<Waiting>| -> u64 {
        waiting.iter().map(|one| one.foresight.clauses()).sum()
    };
    let mut gone = 0;
    let mut total = held(waiting);
    for (index, one) in waiting.iter_mut().enumerate() {
        if total <= most {
            break;
        }
        if index != needed && one.foresight.clauses() > 0 {
            total -= one.foresight.clauses();
            one.foresight.forget();
            gone += 1;
        }
    }
    gone
}

/// What is asked first has the lower rank: values known, within calls, then by how often such an order is a bug: a read that changes
/// between, a read of what is stale, two variables seen half changed, a read of what is new, and what overwrites last; of each, plain
/// reads before those of read-modify-writes.
pub(super) fn rank(candidate: &Candidate, model: &TraceModel) -> usize {
    let kind = match candidate.number() {
        4 => 0,
        1 | 2 => 1,
        12..=17 => 2,
        7 => 3,
        5 => 4,
        6 => 5,
        9..=11 => 6,
        _ => 7,
    };
    let changes = |step: &StepId| {
        let access = model.step(*step).access;
        access.is_some_and(|access| access.reads && access.writes)
    };
    let updates = usize::from(candidate.steps.first().is_some_and(changes));
    let apart = usize::from(!candidate.within_calls);
    let contents = usize::from(!candidate.valued);
    contents * 32 + apart * 16 + kind * 2 + updates
}

/// Of equal rank the largest comes first. How far two accesses are moved against the order of the trace: the farthest often shows the
/// nearer ones, too. Of three accesses, how late the foreign one is in the trace: what its thread did before may come between as well.
pub(super) fn reach(candidate: &Candidate) -> u32 {
    match *candidate.steps {
        [_, foreign, _] => foreign,
        _ => {
            let pairs = candidate.steps.windows(2);
            pairs.map(|pair| pair[0].saturating_sub(pair[1])).sum()
        }
    }
}
