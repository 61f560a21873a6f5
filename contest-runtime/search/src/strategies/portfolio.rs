//! Several strategies as one: stages one after another, and within a stage strategies that take turns.
//!
//! Turns are counted in executions and not in time, so that the same seed gives the same executions in the same order
//! until the budget ends, wherever that is.

use super::budget::{Budget, Meter};
use super::tree_size::orders;
use contest_data::decision::{Choice, DecisionPoint, MemoryPoint, Strategy, Traces};
use contest_data::gap::{Cut, Gap, Gaps};
use contest_data::limits::{Leeway, MemoryModel};
use contest_data::trace::{Event, ExecutionRecord, Pending, ThreadIndex};
use std::panic::Location;

/// Why a part of a portfolio got no further execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Everything within its bounds was explored.
    Exhausted,
    /// No execution was left, but other strategies may explore more, for these reasons.
    Incomplete(Gaps),
    /// It has run the requested number of executions.
    Done,
    /// The budget ended: the executions or the time.
    Budget(Cut),
    /// By its own estimate it needs far more than its budget. What it did not use goes to the parts after it.
    TooLarge,
    /// A part before it explored every interleaving.
    NotNeeded,
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Exhausted => "exhausted",
            Self::Incomplete(gaps) => return gaps.fmt(f),
            Self::Budget(cut) => return cut.fmt(f),
            Self::Done => "done",
            Self::TooLarge => "too large for the budget",
            Self::NotNeeded => "not needed",
        })
    }
}

/// The state of one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartReport {
    /// Name of the strategy.
    pub name: &'static str,
    /// Executions it was given.
    pub executions: u64,
    /// Why it got no more; `None` while it runs.
    pub ended: Option<Ended>,
}

struct Part {
    report: PartReport,
    strategy: Box<dyn Strategy>,
    /// Its share of the executions of its stage, relative to the others.
    weight: u32,
    /// It is exhaustive: when it has no execution left, there is none.
    exhaustive: bool,
}

impl Part {
    /// About how many executions it still has, if it is exhaustive.
    fn rest(&self) -> Option<f64> {
        if !self.exhaustive || self.report.ended.is_some() || !self.is_sound() {
            return None;
        }
        let explored = self.strategy.explored()?.max(f64::MIN_POSITIVE);
        Some(self.report.executions as f64 * (1.0 - explored) / explored)
    }

    /// True if nothing that it leaves out can be explored by others.
    fn is_sound(&self) -> bool {
        self.strategy.gaps().iter().all(Gap::is_of_engine)
    }

    /// Not before its third execution: the first ones show where branches are.
    fn is_nearly_done(&self) -> bool {
        let executions = self.report.executions;
        executions > 2
            && self
                .rest()
                .is_some_and(|rest| rest <= NEARLY_DONE.max(executions as f64))
    }
}

struct Stage {
    parts: Vec<Part>,
    budget: Budget,
    meter: Option<Meter>,
}

/// Several strategies as one.
pub struct Portfolio {
    stages: Vec<Stage>,
    stage: usize,
    part: usize,
    exhausted: bool,
    /// About how many orders there are, as a binary logarithm, by the first execution.
    orders: Option<f64>,
    /// A stage that was postponed until after the others, because it most likely does not fit its budget.
    deferred: Deferred,
    /// What all parts have at least.
    leeway: Leeway,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deferred {
    NotYet,
    Stage(usize),
    Over,
}

impl std::fmt::Debug for Portfolio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Portfolio")
            .field("parts", &self.parts())
            .field("exhausted", &self.exhausted)
            .finish_non_exhaustive()
    }
}

/// A strategy with its place in a portfolio.
pub(crate) struct Member {
    pub(crate) name: &'static str,
    pub(crate) strategy: Box<dyn Strategy>,
    pub(crate) weight: u32,
    pub(crate) exhaustive: bool,
}

/// Executions of an exhaustive part before the others go first where there are far more orders than it could explore.
const BEFORE_DEFERRED: u64 = 64;
/// How many times more that is, as a binary logarithm.
const BEYOND_BITS: f64 = 10.0;
/// Executions before the first estimate of how many it takes; the next ones after twice as many each.
const FIRST_ESTIMATE: u64 = 32;
/// Percent of what a stage left over that the next one gets, unless it is the last.
const NEXT_SHARE: u32 = 20;
/// An exhaustive part goes first if it has at most so many executions left, or at most as many as it has run.
const NEARLY_DONE: f64 = 16.0;

impl Portfolio {
    /// Stages in order, each with its budget and the strategies that take turns in it.
    pub(crate) fn new(stages: Vec<(Budget, Vec<Member>)>) -> Self {
        let part = |member: Member| Part {
            report: PartReport {
                name: member.name,
                executions: 0,
                ended: None,
            },
            strategy: member.strategy,
            weight: member.weight.max(1),
            exhaustive: member.exhaustive,
        };
        let stage = |(budget, members): (Budget, Vec<Member>)| Stage {
            parts: members.into_iter().map(part).collect(),
            budget,
            meter: None,
        };
        Self {
            stages: stages.into_iter().map(stage).collect(),
            stage: 0,
            part: 0,
            exhausted: false,
            orders: None,
            deferred: Deferred::NotYet,
            leeway: Leeway::default(),
        }
    }

    /// With at least this leeway in every part.
    #[must_use]
    pub fn with(mut self, leeway: Leeway) -> Self {
        self.leeway = self.leeway.or(leeway);
        self
    }

    /// One strategy within a budget; it is exhausted when the strategy says so.
    #[must_use]
    pub fn only(name: &'static str, strategy: Box<dyn Strategy>, budget: Budget) -> Self {
        let only = Member {
            name,
            strategy,
            weight: 1,
            exhaustive: true,
        };
        Self::new(vec![(budget, vec![only])])
    }

    /// What became of each part so far, in the order of the stages.
    #[must_use]
    pub fn parts(&self) -> Vec<PartReport> {
        let parts = self.stages.iter().flat_map(|stage| &stage.parts);
        parts.map(|part| part.report.clone()).collect()
    }

    /// Name of the part that steered the last execution; empty before the first.
    #[must_use]
    pub fn part(&self) -> &'static str {
        let stage = self.stages.get(self.stage);
        let part = stage.and_then(|stage| stage.parts.get(self.part));
        part.map_or("", |part| part.report.name)
    }

    /// True if that part explores everything, given time.
    #[must_use]
    pub fn is_exhaustive(&self) -> bool {
        let stage = self.stages.get(self.stage);
        let part = stage.and_then(|stage| stage.parts.get(self.part));
        part.is_some_and(|part| part.exhaustive)
    }

    /// Why it may not be said that every interleaving was explored, by the first part that might have.
    #[must_use]
    pub fn missing(&self) -> Gaps {
        let mut parts = self.stages.iter().flat_map(|stage| &stage.parts);
        if self.exhausted {
            let exhausted = parts.find(|it| it.exhaustive && it.strategy.exhausted());
            return exhausted.map_or(Gaps::NONE, |it| it.strategy.gaps().clone());
        }
        let Some(first) = parts.next() else {
            return Gaps::from(Gap::Cut(Cut::Unfinished));
        };
        let mut gaps = first.strategy.gaps().clone();
        match &first.report.ended {
            Some(Ended::Incomplete(_)) => {}
            Some(Ended::Budget(cut)) => gaps.add(Gap::Cut(cut.clone())),
            Some(Ended::TooLarge) => gaps.add(Gap::Cut(Cut::TooLarge)),
            Some(Ended::Done | Ended::Exhausted | Ended::NotNeeded) => {
                gaps.add(Gap::Sampled(first.report.name.to_owned()));
            }
            None => gaps.add(Gap::Cut(Cut::Unfinished)),
        }
        gaps
    }

    /// Counters of the parts, summed over equal names.
    #[must_use]
    pub fn counted(&self) -> Vec<(&'static str, u64)> {
        let mut sums: Vec<(&'static str, u64)> = Vec::new();
        let parts = self.stages.iter().flat_map(|stage| &stage.parts);
        for (what, count) in parts.flat_map(|part| part.strategy.counts()) {
            match sums.iter_mut().find(|(known, _)| *known == what) {
                Some((_, sum)) => *sum += count,
                None => sums.push((what, count)),
            }
        }
        sums
    }

    /// About how many executions the exhaustive part of the present stage still has; `None` if it has ended, cannot
    /// prove anything, or there is none.
    #[must_use]
    pub fn rest(&self) -> Option<f64> {
        let stage = self.stages.get(self.stage)?;
        stage.parts.iter().find_map(Part::rest)
    }

    /// Gives what is left of the present stage's budget to those after it, most to the last.
    fn hand_on(&mut self, mut left: Budget) {
        let later = &mut self.stages[self.stage + 1..];
        let last = later.len();
        for (index, stage) in later.iter_mut().enumerate() {
            let percent = if index + 1 == last { 100 } else { NEXT_SHARE };
            let share = left.part(percent, percent);
            stage.budget = stage.budget.and(share);
            left.executions -= share.executions;
            left.time = left.time.saturating_sub(share.time);
            left.minimum -= share.minimum;
        }
    }

    /// The part with the fewest executions relative to its weight; where several take turns, an exhaustive one that is
    /// nearly done goes first.
    fn next_part(stage: &Stage) -> Option<usize> {
        if stage.parts.len() > 1
            && let Some(done) = stage.parts.iter().position(Part::is_nearly_done)
        {
            return Some(done);
        }
        let behind = |part: &Part| (part.report.executions + 1, u64::from(part.weight));
        let mut best: Option<usize> = None;
        for (index, part) in stage.parts.iter().enumerate() {
            if part.report.ended.is_some() {
                continue;
            }
            let (turns, weight) = behind(part);
            let sooner = best.is_none_or(|best| {
                let (best_turns, best_weight) = behind(&stage.parts[best]);
                u128::from(turns) * u128::from(best_weight)
                    < u128::from(best_turns) * u128::from(weight)
            });
            if sooner {
                best = Some(index);
            }
        }
        best
    }

    fn running(&mut self) -> &mut Part {
        &mut self.stages[self.stage].parts[self.part]
    }
}

impl Strategy for Portfolio {
    fn begin(&mut self) -> bool {
        loop {
            if self.stage >= self.stages.len()
                && let Deferred::Stage(stage) = self.deferred
                && !self.exhausted
            {
                self.stage = stage;
                self.deferred = Deferred::Over;
            }
            let stages = self.stages.len();
            let Some(stage) = self.stages.get_mut(self.stage) else {
                return false;
            };
            let Some(index) = Self::next_part(stage) else {
                self.stage += 1;
                continue;
            };
            let meter = stage
                .meter
                .get_or_insert_with(|| Meter::start(stage.budget));
            if let Err(reason) = meter.room() {
                for part in &mut stage.parts {
                    let ended = || Ended::Budget(reason.clone());
                    part.report.ended.get_or_insert_with(ended);
                }
                continue;
            }
            let part = &mut stage.parts[index];
            let executions = part.report.executions;
            if executions >= FIRST_ESTIMATE
                && executions.is_power_of_two()
                && let Some(share) = part.strategy.explored()
                && meter.is_hopeless(executions as f64 / share.max(f64::MIN_POSITIVE))
            {
                part.report.ended = Some(Ended::TooLarge);
                let left = meter.left();
                self.hand_on(left);
                continue;
            }
            if part.exhaustive
                && executions == BEFORE_DEFERRED
                && self.deferred == Deferred::NotYet
                && self.stage + 1 < stages
                && self
                    .orders
                    .is_some_and(|bits| bits > meter.left().bits() + BEYOND_BITS)
            {
                stage.budget = meter.left();
                stage.meter = None;
                self.deferred = Deferred::Stage(self.stage);
                self.stage += 1;
                continue;
            }
            if part.strategy.begin() {
                meter.spend();
                part.report.executions += 1;
                self.part = index;
                return true;
            }
            part.report.ended = Some(if part.strategy.exhausted() {
                Ended::Exhausted
            } else {
                match part.strategy.gaps() {
                    gaps if gaps.is_empty() => Ended::Done,
                    gaps => Ended::Incomplete(gaps.clone()),
                }
            });
            if part.exhaustive && part.strategy.exhausted() {
                self.exhausted = true;
                for part in self.stages.iter_mut().flat_map(|stage| &mut stage.parts) {
                    part.report.ended.get_or_insert(Ended::NotNeeded);
                }
                self.stage = self.stages.len();
            }
        }
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        self.running().strategy.thread(point)
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        self.running().strategy.value(alternatives)
    }

    fn knows_memory(&mut self, events: &[Event], thread: ThreadIndex) -> bool {
        self.running().strategy.knows_memory(events, thread)
    }

    fn memory(&mut self, point: &MemoryPoint<'_>) -> Option<u16> {
        self.running().strategy.memory(point)
    }

    fn goes_on(
        &mut self,
        events: &[Event],
        thread: (ThreadIndex, Pending),
        place: &'static Location<'static>,
    ) -> bool {
        self.running().strategy.goes_on(events, thread, place)
    }

    fn fails_spuriously(&mut self) -> bool {
        self.running().strategy.fails_spuriously()
    }

    fn memory_model(&self) -> Option<MemoryModel> {
        let part = self.stages.get(self.stage)?.parts.get(self.part)?;
        part.strategy.memory_model()
    }

    fn leeway(&self) -> Leeway {
        let stage = self.stages.get(self.stage);
        let part = stage.and_then(|stage| stage.parts.get(self.part));
        part.map_or(self.leeway, |part| part.strategy.leeway().or(self.leeway))
    }

    fn seed(&mut self) -> u64 {
        self.running().strategy.seed()
    }

    fn needs_forced_points(&self) -> bool {
        let stage = self.stages.get(self.stage);
        stage
            .and_then(|stage| stage.parts.get(self.part))
            .is_none_or(|part| part.strategy.needs_forced_points())
    }

    fn end(&mut self, record: &ExecutionRecord) {
        self.orders.get_or_insert_with(|| orders(record));
        self.running().strategy.end(record);
    }

    fn exhausted(&self) -> bool {
        self.exhausted
    }

    fn gaps(&self) -> &Gaps {
        static NONE: Gaps = Gaps::NONE;
        let first = self.stages.first().and_then(|stage| stage.parts.first());
        first.map_or(&NONE, |part| part.strategy.gaps())
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        self.counted()
    }

    fn traces(&self) -> Option<Traces> {
        self.stages.first()?.parts.first()?.strategy.traces()
    }
}
