//! One execution and the questions asked about it: the model, the solver once it is needed, and what the answers cost.

use std::sync::Arc;

use super::explicit_search::search;
use super::name::Name;
use super::planned_schedule::PlannedSchedule;
use super::sat_solver::{Batsat, SatSolver};
use super::staircase::{Blame, Outlook, Staircase, Wish};
use super::step::{Cuts, StepId};
use super::trace_model::TraceModel;
use super::unsat_cores::UnsatCores;
use crate::coverage::FastSet;
use crate::coverage::{Contents, SiteTable};
use contest_data::trace::ExecutionRecord;

/// Bounds of what is spent on one execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForesightLimits {
    /// Most steps of a model; of a longer trace, windows of this many are modelled.
    pub steps: usize,
    /// Most windows of one trace, spread over it.
    pub windows: usize,
    /// Conflicts after which the solver gives a question up.
    pub conflicts: u64,
    /// Estimated clauses beyond which a window is halved.
    pub clauses: u64,
    /// Positions that explicit search may look at when the solver has given up.
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

/// What was asked and what it cost. Nothing that was skipped or given up is missing here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForesightCounts {
    /// Questions put to the solver: constraint systems solved.
    pub asked: u64,
    /// Answered with a schedule.
    pub possible: u64,
    /// Answered with no.
    pub impossible: u64,
    /// Not asked, because a kept core forbids it.
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

/// See the module.
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

    /// Looks for a reordering that does what is wished; if `tentative`, counters may have any values.
    pub(crate) fn ask(
        &mut self,
        wish: &Wish,
        tentative: bool,
        limits: &ForesightLimits,
        cores: &mut UnsatCores,
        counts: &mut ForesightCounts,
    ) -> Outlook {
        if self.staircase.is_none() {
            let staircase = Staircase::<Batsat>::new(Arc::clone(&self.model));
            self.names = staircase.groups.iter().map(|(_, name)| *name).collect();
            self.groups = self.names.iter().copied().collect();
            self.staircase = Some(staircase);
        }
        let Some(staircase) = &mut self.staircase else {
            return Outlook::Unknown;
        };
        if !tentative && cores.forbid(&self.model, wish, &self.groups) {
            counts.forbidden += 1;
            return Outlook::Impossible(Vec::new());
        }
        counts.asked += 1;
        let mut answer = staircase.ask_among(wish, tentative, limits.conflicts);
        // The search knows nothing of counters left open, nor of steps that are bound to others.
        let searchable = !tentative && !self.model.steps.iter().any(|step| step.bound);
        if answer == Outlook::Unknown && searchable {
            answer = search(&self.model, wish, limits.positions);
            counts.searched += u64::from(answer != Outlook::Unknown);
        }
        match &answer {
            Outlook::Possible(_) => counts.possible += 1,
            Outlook::Impossible(blames) => {
                counts.impossible += 1;
                if !blames.is_empty() {
                    cores.keep(&self.model, wish, blames, &self.names);
                }
            }
            Outlook::Unknown => counts.gave_up += 1,
        }
        answer
    }

    /// True if an order that is impossible for these reasons might be had if counters had other values.
    #[must_use]
    pub(crate) fn is_up_to_counters(&self, blames: &[Blame]) -> bool {
        let Some(staircase) = &self.staircase else {
            return false;
        };
        // A core of another trace does not say.
        let unknown = blames.is_empty() && staircase.counters.contains(&true);
        unknown
            || blames.iter().any(|blame| match blame {
                Blame::Group(group) => staircase.counters[*group as usize],
                _ => false,
            })
    }

    /// Lets the solver go; the next question builds it again.
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

/// Clauses that the model will take, about.
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

/// What all executions have in common that foretell the same: what each thread did and read, in whatever order.
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
    // The beginning and the end, and as many places between as there may be.
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
