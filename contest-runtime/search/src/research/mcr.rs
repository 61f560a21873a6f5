//! Maximal causality reduction (Huang: Stateless model checking concurrent programs with maximal causality reduction,
//! PLDI 2015): in each new execution some read returns a value that it has not returned yet after the same prefix. A
//! baseline of PCR, with the same constraints.
//!
//! The reads that were required on the way to an execution keep their values in every schedule derived from it, so the
//! queries form a tree. The paper keeps the whole schedule; keeping less reaches every combination of values read of
//! loads and stores. A read-modify-write can be required to read a new value only at the end of a schedule, because the
//! value it would then write is not known; where there are any, not every combination is reached.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::coverage::FastSet;
use crate::coverage::{Contents, SiteTable};
use crate::research::predict::Name;
use crate::research::predict::{
    Follower, Foresight, ForesightCounts, ForesightLimits, Goal, PlannedSchedule, Prediction,
    StepId, UnsatCores,
};
use crate::strategies::without_preemption;
use contest_data::decision::{Choice, DecisionPoint, Strategy};
use contest_data::rng::Rng;
use contest_data::sorted;
use contest_data::trace::{Ending, ExecutionRecord, ThreadIndex};

/// Most traces in the queue.
const MOST_TRACES: usize = 256;

#[derive(Debug)]
struct Waiting {
    foresight: Foresight,
    /// The reads that were required on the way here.
    required: Vec<StepId>,
    /// Reads and the values they might return.
    goals: VecDeque<(StepId, u64)>,
}

/// MCR.
#[derive(Debug)]
pub struct Mcr {
    rng: Rng,
    left: u64,
    limits: ForesightLimits,
    sites: SiteTable,
    waiting: VecDeque<Waiting>,
    planned: FastSet<Name>,
    /// The reads that the present plan was made for: thread and number in it.
    required: Vec<(ThreadIndex, u32)>,
    cores: UnsatCores,
    follower: Follower,
    is_planned: bool,
    dropped: u64,
    diverged: u64,
    counts: ForesightCounts,
}

impl Mcr {
    /// With this seed of the random walks, for at most this many executions.
    #[must_use]
    pub fn new(seed: u64, executions: u64) -> Self {
        Self {
            rng: Rng::new(seed),
            left: executions,
            limits: ForesightLimits::default(),
            sites: SiteTable::default(),
            waiting: VecDeque::new(),
            planned: FastSet::default(),
            required: Vec::new(),
            cores: UnsatCores::default(),
            follower: Follower::default(),
            is_planned: false,
            dropped: 0,
            diverged: 0,
            counts: ForesightCounts::default(),
        }
    }

    /// Queries and their cost.
    #[must_use]
    pub fn counts(&self) -> &ForesightCounts {
        &self.counts
    }

    /// True if the present execution follows a plan; false for a random walk, if no query is left.
    #[must_use]
    pub fn is_planned(&self) -> bool {
        self.is_planned
    }

    /// Planned executions that could not be followed.
    #[must_use]
    pub fn diverged(&self) -> u64 {
        self.diverged
    }

    /// Traces dropped because too many were waiting.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    fn plan(&mut self) -> bool {
        while let Some(waiting) = self.waiting.front_mut() {
            let Some((read, value)) = waiting.goals.pop_front() else {
                self.waiting.pop_front();
                continue;
            };
            let foresight = &mut waiting.foresight;
            let goal = Goal::Reads(read, value, waiting.required.clone());
            let answer = foresight.query(
                &goal,
                false,
                &self.limits,
                &mut self.cores,
                &mut self.counts,
            );
            let Prediction::Possible(order) = answer else {
                continue;
            };
            if self
                .planned
                .insert(class(foresight, &waiting.required, read, value))
            {
                let plan = foresight.plan(&order);
                let model = foresight.model();
                let required = waiting.required.iter().chain([&read]);
                self.required = required
                    .map(|&step| {
                        let thread = model.indices[usize::from(model.step(step).thread)];
                        (thread, model.step(step).event)
                    })
                    .map(|(thread, event)| (thread, foresight.index_of(event)))
                    .collect();
                self.follower.start(plan);
                return true;
            }
        }
        false
    }
}

/// What a schedule was made for: the reads required so far and the newest one, with their values.
fn class(foresight: &Foresight, required: &[StepId], read: StepId, value: u64) -> Name {
    let model = foresight.model();
    let name = |&step: &StepId| {
        let step = model.step(step);
        step.name.with(step.access.map_or(0, |access| access.read))
    };
    let mut names: Vec<Name> = required.iter().map(name).collect();
    names.push(model.step(read).name.with(value));
    sorted::sort(&mut names);
    names.into_iter().fold(Name::new(), Name::with_name)
}

fn goals(foresight: &Foresight) -> VecDeque<(StepId, u64)> {
    let model = foresight.model();
    let mut goals = VecDeque::new();
    for (number, step) in model.steps.iter().enumerate() {
        let Some(access) = step.access.filter(|access| access.reads && access.valued) else {
            continue;
        };
        let variable = &model.variables[access.variable as usize];
        let writes = variable
            .accesses
            .iter()
            .filter_map(|&step| model.step(step).access);
        let mut values: Vec<u64> = writes
            .filter(|access| access.writes)
            .map(|access| access.wrote)
            .collect();
        values.extend(variable.initial);
        sorted::sort(&mut values);
        values.dedup();
        goals.extend(
            values
                .into_iter()
                .filter(|&value| value != access.read)
                .map(|value| (number as StepId, value)),
        );
    }
    goals
}

impl Strategy for Mcr {
    fn begin(&mut self) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.is_planned = self.plan();
        if !self.is_planned {
            self.follower.start(PlannedSchedule::default());
        }
        true
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        if self.is_planned {
            let planned = self.follower.next(point);
            return Choice::Run(
                planned.unwrap_or_else(|| without_preemption(point, point.enabled)),
            );
        }
        let set = point.enabled;
        if !set.has_several() {
            return Choice::Run(set.lowest());
        }
        let index = self.rng.below(set.len());
        Choice::Run(set.member(index))
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        if self.is_planned {
            return self.follower.value(alternatives).unwrap_or(0);
        }
        self.rng.below(u32::from(alternatives)) as u16
    }

    fn seed(&mut self) -> u64 {
        self.rng.bits()
    }

    fn end(&mut self, record: &ExecutionRecord) {
        if record.ending == Ending::Abandoned {
            return;
        }
        if self.is_planned {
            self.follower.end(&record.events);
            self.diverged += u64::from(self.follower.divergence().is_some());
        }
        if self.waiting.len() >= MOST_TRACES {
            self.dropped += 1;
            return;
        }
        let foresight = Foresight::new(
            Arc::new(record.clone()),
            &mut self.sites,
            Contents::Ignored,
            0,
            &self.limits,
            &mut self.counts,
        );
        self.counts.unseen_steps += foresight.cuts().length;
        let model = foresight.model();
        let mut required: Vec<StepId> = Vec::new();
        let mut open: Vec<bool> = vec![true; model.steps.len()];
        for thread in &model.threads {
            let is_required = |&step: &StepId| {
                let event = &record.events[model.step(step).event as usize];
                self.is_planned && self.required.contains(&(event.thread, event.index))
            };
            required.extend(thread.iter().copied().filter(is_required));
            if let Some(last) = thread.iter().rposition(is_required) {
                thread[..=last]
                    .iter()
                    .for_each(|&step| open[step as usize] = false);
            }
        }
        let mut goals = goals(&foresight);
        goals.retain(|&(step, _)| open[step as usize]);
        self.waiting.push_back(Waiting {
            foresight,
            required,
            goals,
        });
    }
}
