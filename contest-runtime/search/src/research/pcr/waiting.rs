//! The queue of traces, each with its queries in the order of their ranks.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::research::predict::Name;
use crate::research::predict::{Candidate, Foresight, StepId, TraceModel};
use contest_data::trace::ExecutionRecord;

/// Queries and plans for one pattern.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attempts {
    pub questions: u32,
    pub plans: u32,
}

/// The form of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// All of it, with every value kept.
    Whole,
    /// All but its last access, whose thread runs next; it may not reach that access.
    Open,
    /// All of it, with any values of counters.
    Tentative,
}

/// A candidate and the form in which it is queried.
#[derive(Debug)]
pub(super) struct Query {
    pub candidate: Candidate,
    pub form: Form,
}

/// Number of ranks; higher ranks count as the last.
const RANKS: usize = 160;

/// A trace and the queries left about it.
#[derive(Debug)]
pub(super) struct Waiting {
    pub record: Arc<ExecutionRecord>,
    pub foresight: Foresight,
    /// By rank, each in the order of the queries.
    queries: Vec<VecDeque<Query>>,
    /// Windows to come.
    pub windows: VecDeque<usize>,
}

impl Waiting {
    pub(super) fn new(record: Arc<ExecutionRecord>, foresight: Foresight) -> Self {
        let mut queries = Vec::new();
        queries.resize_with(RANKS, VecDeque::new);
        Self {
            record,
            foresight,
            queries,
            windows: VecDeque::new(),
        }
    }

    pub(super) fn push(&mut self, rank: usize, query: Query) {
        self.queries[rank.min(RANKS - 1)].push_back(query);
    }

    /// The rank of its best candidate.
    pub(super) fn best(&self) -> Option<usize> {
        self.queries.iter().position(|queue| !queue.is_empty())
    }

    pub(super) fn pop(&mut self, rank: usize) -> Option<Query> {
        self.queries[rank].pop_front()
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

/// Discards solvers of other traces until all of them, with the one needed now, hold at most so many clauses; returns
/// how many it discarded.
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

/// The rank of a candidate; lower ranks are queried first. Known values and patterns within calls come first, then
/// patterns by how often they are bugs: a variable changes between two reads, a stale read, two variables half updated,
/// a read of a new value, and finally overwriting. Within each, plain reads come before read-modify-writes.
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

/// Of equal rank the largest comes first. How far two accesses are moved against the order of the trace: the farthest
/// often shows the nearer ones, too. Of three accesses, how late the foreign one is in the trace: what its thread did
/// before may come between as well.
pub(super) fn reach(candidate: &Candidate) -> u32 {
    match *candidate.steps {
        [_, foreign, _] => foreign,
        _ => {
            let pairs = candidate.steps.windows(2);
            pairs.map(|pair| pair[0].saturating_sub(pair[1])).sum()
        }
    }
}
