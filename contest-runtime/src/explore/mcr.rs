//! Maximal causality reduction (Huang: Stateless model checking concurrent programs with maximal causality reduction, PLDI 2015): in each
//! new execution some read returns a value that it has not returned after such a past. The baseline of PCR, on the same constraints.
//!
//! Deviation: where the paper fixes the prefix of a schedule to avoid repetitions, schedules are told apart by what they include and what
//! is read at their end.

use std::collections::VecDeque;
use std::sync::Arc;

use super::planned::stay;
use super::random::member;
use super::rng::Rng;
use crate::coverage::fast_hash::FastSet;
use crate::coverage::{Contents, SiteTable};
use crate::execution::{Choice, DecisionPoint, Strategy};
use crate::predict::foresight::fingerprint;
use crate::predict::name::Name;
use crate::predict::{
    Follower, Foresight, ForesightCounts, ForesightLimits, Outlook, PlannedSchedule, StepId,
    UnsatCores, Wish,
};
use crate::trace::{Ending, ExecutionRecord, ThreadIndex};

/// Traces waiting to be asked about.
const MOST_TRACES: usize = 256;

#[derive(Debug)]
struct Waiting {
    foresight: Foresight,
    /// Reads and the values they might return.
    wishes: VecDeque<(StepId, u64)>,
}

/// MCR.
#[derive(Debug)]
pub struct Mcr {
    rng: Rng,
    left: u64,
    limits: ForesightLimits,
    sites: SiteTable,
    waiting: VecDeque<Waiting>,
    seen: FastSet<Name>,
    planned: FastSet<Name>,
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
            seen: FastSet::default(),
            planned: FastSet::default(),
            cores: UnsatCores::default(),
            follower: Follower::default(),
            is_planned: false,
            dropped: 0,
            diverged: 0,
            counts: ForesightCounts::default(),
        }
    }

    /// What was asked and what it cost.
    #[must_use]
    pub fn counts(&self) -> &ForesightCounts {
        &self.counts
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
            let Some((read, value)) = waiting.wishes.pop_front() else {
                self.waiting.pop_front();
                continue;
            };
            let foresight = &mut waiting.foresight;
            let wish = Wish::Reads(read, value);
            let answer = foresight.ask(&wish, &self.limits, &mut self.cores, &mut self.counts);
            let Outlook::Possible(order) = answer else {
                continue;
            };
            if self.planned.insert(class(foresight, &order, value)) {
                let plan = foresight.plan(&order);
                self.follower.start(plan);
                return true;
            }
        }
        false
    }
}

/// What an included set of steps leads to: the last step of each thread, and the value read at the end.
fn class(foresight: &Foresight, order: &[StepId], value: u64) -> Name {
    let model = foresight.model();
    let mut last: Vec<Option<StepId>> = vec![None; model.threads.len()];
    for &step in order {
        last[usize::from(model.step(step).thread)] = Some(step);
    }
    let target = order
        .last()
        .map_or(Name::new(), |&step| model.step(step).name);
    let lasts = last.iter().flatten().map(|&step| model.step(step).name);
    lasts.fold(target.with(value), Name::with_name)
}

fn wishes(foresight: &Foresight) -> VecDeque<(StepId, u64)> {
    let model = foresight.model();
    let mut wishes = VecDeque::new();
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
        values.sort_unstable();
        values.dedup();
        wishes.extend(
            values
                .into_iter()
                .filter(|&value| value != access.read)
                .map(|value| (number as StepId, value)),
        );
    }
    wishes
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
            return Choice::Run(planned.unwrap_or_else(|| stay(point)));
        }
        let set = point.enabled;
        if set & (set - 1) == 0 {
            return Choice::Run(ThreadIndex(set.trailing_zeros() as u16));
        }
        let index = self.rng.below(set.count_ones());
        Choice::Run(member(set, index))
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        if self.is_planned {
            return self.follower.value(alternatives).unwrap_or(0);
        }
        self.rng.below(u32::from(alternatives)) as u16
    }

    fn end(&mut self, record: &ExecutionRecord) {
        if record.ending == Ending::Abandoned {
            return;
        }
        if self.is_planned {
            self.follower.end(&record.events);
            self.diverged += u64::from(self.follower.divergence().is_some());
        }
        if !self.seen.insert(fingerprint(record)) {
            return;
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
        let wishes = wishes(&foresight);
        self.waiting.push_back(Waiting { foresight, wishes });
    }
}
