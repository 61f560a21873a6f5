//! One execution and the queries about it: the model, the solver, which is built on demand, and the cost of the
//! answers.

use std::sync::Arc;

use super::explicit_search::search;
use super::name::Name;
use super::planned_schedule::PlannedSchedule;
use super::sat_solver::{Batsat, SatSolver};
use super::staircase::{CorePart, Goal, Prediction, Staircase};
use super::step::{Cuts, StepId};
use super::trace_model::TraceModel;
use super::unsat_cores::UnsatCores;
use crate::coverage::FastSet;
use crate::coverage::{Contents, SiteTable};
use contest_data::trace::ExecutionRecord;

/// Limits for the queries about one execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForesightLimits {
    /// Most steps of a model; of a longer trace, windows of this many are modelled.
    pub steps: usize,
    /// Most windows of one trace, spread over it.
    pub windows: usize,
    /// Conflicts after which the solver gives up a query.
    pub conflicts: u64,
    /// Estimated clauses beyond which a window is halved.
    pub clauses: u64,
    /// States that explicit search may visit after the solver has given up.
    pub positions: usize,
}

impl Default for ForesightLimits {
    fn default() -> Self {
        Self {
            steps: 240,
            windows: 6,
            conflicts: 5_000,
            clauses: 400_000,
            positions: 50_000,
        }
    }
}

/// Queries, their results and their cost, including those that were skipped or given up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForesightCounts {
    /// Constraint systems given to the solver.
    pub queries: u64,
    /// Answered with a schedule.
    pub possible: u64,
    /// Answered with no.
    pub impossible: u64,
    /// Not solved, because a kept core rules it out.
    pub forbidden: u64,
    /// Given up at the limit of conflicts, and by explicit search too.
    pub gave_up: u64,
    /// Answered by explicit search after the solver had given up.
    pub searched: u64,
    /// Windows halved because of their estimated size.
    pub too_large: u64,
    /// Steps of traces that no window covers.
    pub unseen_steps: u64,
}

/// One execution and the queries about it.
#[derive(Debug)]
pub(crate) struct Foresight {
    record: Arc<ExecutionRecord>,
    model: Arc<TraceModel>,
    staircase: Option<Staircase<Batsat>>,
    groups: FastSet<Name>,
    names: Vec<Name>,
    skipped: bool,
}

impl Foresight {
    /// Models the window that begins after `skip` modelled steps.
    #[must_use]
    pub(crate) fn new(
        record: Arc<ExecutionRecord>,
        sites: &mut SiteTable,
        contents: Contents,
        skip: usize,
        limits: &ForesightLimits,
        counts: &mut ForesightCounts,
    ) -> Self {
        let mut steps = limits.steps;
        let mut model = TraceModel::new(&record, sites, contents, skip, steps);
        while steps > 8 && estimate(&model) > limits.clauses {
            counts.too_large += 1;
            steps /= 2;
            model = TraceModel::new(&record, sites, contents, skip, steps);
        }
        Self {
            record,
            model: Arc::new(model),
            staircase: None,
            groups: FastSet::default(),
            names: Vec::new(),
            skipped: skip > 0,
        }
    }

    /// The model.
    #[must_use]
    pub(crate) fn model(&self) -> &TraceModel {
        &self.model
    }

    /// What the model leaves out.
    #[must_use]
    pub(crate) fn cuts(&self) -> Cuts {
        self.model.cuts
    }

    /// Searches for a reordering that reaches the goal; if `tentative`, counters may have any values.
    pub(crate) fn query(
        &mut self,
        goal: &Goal,
        tentative: bool,
        limits: &ForesightLimits,
        cores: &mut UnsatCores,
        counts: &mut ForesightCounts,
    ) -> Prediction {
        if self.staircase.is_none() {
            let staircase = Staircase::<Batsat>::new(Arc::clone(&self.model));
            self.names = staircase.groups.iter().map(|(_, name)| *name).collect();
            self.groups = self.names.iter().copied().collect();
            self.staircase = Some(staircase);
        }
        let Some(staircase) = &mut self.staircase else {
            return Prediction::Unknown;
        };
        if !tentative && cores.forbid(&self.model, goal, &self.groups) {
            counts.forbidden += 1;
            return Prediction::Impossible(Vec::new());
        }
        counts.queries += 1;
        let mut answer = staircase.query_with(goal, tentative, limits.conflicts);
        // The search supports neither free counters nor steps that are bound to others.
        let searchable = !tentative && !self.model.steps.iter().any(|step| step.bound);
        if answer == Prediction::Unknown && searchable {
            answer = search(&self.model, goal, limits.positions);
            counts.searched += u64::from(answer != Prediction::Unknown);
        }
        match &answer {
            Prediction::Possible(_) => counts.possible += 1,
            Prediction::Impossible(core) => {
                counts.impossible += 1;
                if !core.is_empty() {
                    cores.keep(&self.model, goal, core, &self.names);
                }
            }
            Prediction::Unknown => counts.gave_up += 1,
        }
        answer
    }

    /// True if the infeasible goal might be feasible with other values of counters.
    #[must_use]
    pub(crate) fn is_up_to_counters(&self, core: &[CorePart]) -> bool {
        let Some(staircase) = &self.staircase else {
            return false;
        };
        // A core of another trace does not name groups of this one.
        let unknown = core.is_empty() && staircase.counters.contains(&true);
        unknown
            || core.iter().any(|blame| match blame {
                CorePart::Group(group) => staircase.counters[*group as usize],
                _ => false,
            })
    }

    /// Discards the solver; the next query rebuilds it.
    pub(crate) fn forget(&mut self) {
        self.staircase = None;
    }

    /// The schedule of these steps.
    #[must_use]
    pub(crate) fn plan(&self, order: &[StepId]) -> PlannedSchedule {
        PlannedSchedule::new(&self.model, &self.record, order, self.skipped)
    }

    /// Number in its thread of the event at this position.
    #[must_use]
    pub(crate) fn index_of(&self, event: u32) -> u32 {
        self.record.events[event as usize].index
    }

    /// Clauses stated so far.
    #[must_use]
    pub(crate) fn clauses(&self) -> u64 {
        self.staircase
            .as_ref()
            .map_or(0, |staircase| staircase.solver.clauses())
    }
}

/// Estimated number of clauses for the model.
fn estimate(model: &TraceModel) -> u64 {
    let lengths: Vec<u64> = model
        .threads
        .iter()
        .map(|thread| thread.len() as u64)
        .collect();
    let all: u64 = lengths.iter().sum();
    let pairs: u64 = lengths.iter().map(|length| length * (all - length)).sum();
    let others = lengths.len().saturating_sub(2) as u64;
    let values: u64 = model
        .variables
        .iter()
        .filter(|variable| variable.valued)
        .map(|variable| {
            let accesses = variable
                .accesses
                .iter()
                .filter_map(|&step| model.step(step).access);
            let writes = accesses.clone().filter(|access| access.writes).count() as u64;
            let reads = accesses.filter(|access| access.reads).count() as u64;
            reads * writes * (2 + others * writes / 2) / 2
        })
        .sum();
    pairs + values + model.rules.len() as u64
}

/// Equal for executions from which the same can be predicted: what each thread did and read, in any order.
#[must_use]
pub(crate) fn fingerprint(record: &ExecutionRecord) -> Name {
    let names = super::name::event_names(record);
    let mut last: Vec<Option<(Name, u64)>> = vec![None; usize::from(record.threads)];
    for (event, name) in record.events.iter().zip(names) {
        last[event.thread.index()] = Some((name, event.read));
    }
    last.iter()
        .flatten()
        .fold(Name::new(), |all, (name, read)| {
            all.with_name(*name).with(*read)
        })
}

/// Where the windows of a trace begin, in modelled steps, and how many steps none of them covers.
#[must_use]
pub(crate) fn windows(total: usize, limits: &ForesightLimits) -> (Vec<usize>, usize) {
    if total <= limits.steps {
        return (vec![0], 0);
    }
    let stride = limits.steps / 2;
    let needed = (total - limits.steps).div_ceil(stride) + 1;
    if needed <= limits.windows {
        return ((0..needed).map(|window| window * stride).collect(), 0);
    }
    // The beginning, the end, and evenly spread places between them.
    let last = total - limits.steps;
    let starts: Vec<usize> = (0..limits.windows)
        .map(|window| last * window / (limits.windows - 1).max(1))
        .collect();
    let covered: usize = starts
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).min(limits.steps))
        .sum::<usize>()
        + limits.steps;
    (starts, total.saturating_sub(covered))
}
