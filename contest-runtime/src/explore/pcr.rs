//! PCR (Zhao, Wang, Liu, Sun, Chen, Chen: Achieving high MAP-coverage through pattern constraint reduction; ALGORITHMS B.3): executions
//! that show patterns which no execution has shown, planned by a constraint solver from those that ran.
//!
//! Deviations: a queue in place of the recursion, which drops results; each pattern is asked for when its turn comes, and not if an
//! execution between has covered it; patterns within single calls come first, since what breaks the atomicity of a call is more likely a
//! bug than what comes between calls; covered patterns are asked for again, last of all, with values they were not shown with; a long
//! trace is taken in windows. When nothing is left to ask, a random walk begins anew.

use std::collections::VecDeque;
use std::sync::Arc;

use super::planned::stay;
use super::random::member;
use super::rng::Rng;
use crate::coverage::fast_hash::{FastMap, FastSet};
use crate::coverage::instances::PatternKey;
use crate::coverage::{Contents, MapCoverage};
use crate::execution::{Choice, DecisionPoint, Strategy};
use crate::predict::foresight::{fingerprint, windows};
use crate::predict::name::Name;
use crate::predict::schedule_pool::SchedulePool;
use crate::predict::{
    Candidate, Divergence, FilterRules, Follower, Foresight, ForesightCounts, ForesightLimits,
    Outlook, UnsatCores, construct,
};
use crate::trace::{Ending, ExecutionRecord, ThreadIndex};

/// What the strategy does and does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PcrSettings {
    /// Whether what locks protect counts as variables.
    pub contents: Contents,
    /// The filter rules.
    pub rules: FilterRules,
    /// Bounds of a trace.
    pub limits: ForesightLimits,
    /// Traces waiting to be asked about.
    pub traces: usize,
    /// Questions about one pattern until it is covered.
    pub attempts: u32,
    /// Covered patterns are asked for again with other values written, once nothing uncovered is left. Rule 2 alone would leave such states
    /// out for good.
    pub states: bool,
    /// Random executions in a row that show nothing new before the strategy ends; 0: never.
    pub idle: u32,
}

impl Default for PcrSettings {
    fn default() -> Self {
        Self {
            contents: Contents::Counted,
            rules: FilterRules::default(),
            limits: ForesightLimits::default(),
            traces: 64,
            attempts: 24,
            states: true,
            idle: 0,
        }
    }
}

/// What became of it all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PcrCounts {
    /// Executions by a planned schedule.
    pub planned: u64,
    /// Executions by a random walk.
    pub random: u64,
    /// Planned executions in which the pattern was shown.
    pub realised: u64,
    /// Planned executions that could not be followed, because a thread did something else.
    pub different: u64,
    /// Planned executions that could not be followed, because a thread was blocked or spun.
    pub blocked: u64,
    /// Planned executions that were followed, and the pattern was not shown: what it needs lies behind a branch on something unseen.
    pub unrealised: u64,
    /// Executions that foretell nothing new, since their threads did what they had done before.
    pub equivalent: u64,
    /// Traces dropped because too many were waiting.
    pub dropped: u64,
    /// Patterns left out by each filter rule.
    pub filtered: [u64; 6],
    /// Accesses and patterns that the caps cut off.
    pub capped: u64,
    /// Patterns given up after too many questions.
    pub exhausted: u64,
    /// Threads and variables that models leave out or fix.
    pub cuts: u64,
    /// What was asked.
    pub questions: ForesightCounts,
}

/// A trace and what is still to be asked about it.
#[derive(Debug)]
struct Waiting {
    record: Arc<ExecutionRecord>,
    foresight: Foresight,
    /// Best last.
    candidates: Vec<(u8, Candidate)>,
    /// Windows to come.
    windows: VecDeque<usize>,
}

/// PCR.
#[derive(Debug)]
pub struct Pcr {
    settings: PcrSettings,
    rng: Rng,
    left: u64,
    coverage: MapCoverage,
    waiting: VecDeque<Waiting>,
    seen: FastSet<Name>,
    pool: SchedulePool,
    cores: UnsatCores,
    attempts: FastMap<PatternKey, u32>,
    states: FastSet<Name>,
    counts: PcrCounts,
    follower: Follower,
    /// The pattern of the present execution; `None` while a random walk runs.
    aim: Option<Candidate>,
    aim_key: Option<PatternKey>,
    idle: u32,
}

impl Pcr {
    /// With this seed of the random walks, for at most this many executions.
    #[must_use]
    pub fn new(seed: u64, executions: u64) -> Self {
        Self::with_settings(seed, executions, PcrSettings::default())
    }

    /// As [`Pcr::new`], with these settings.
    #[must_use]
    pub fn with_settings(seed: u64, executions: u64, settings: PcrSettings) -> Self {
        Self {
            settings,
            rng: Rng::new(seed),
            left: executions,
            coverage: MapCoverage::new(settings.contents),
            waiting: VecDeque::new(),
            seen: FastSet::default(),
            pool: SchedulePool::default(),
            cores: UnsatCores::default(),
            attempts: FastMap::default(),
            states: FastSet::default(),
            counts: PcrCounts::default(),
            follower: Follower::default(),
            aim: None,
            aim_key: None,
            idle: 0,
        }
    }

    /// What became of it so far.
    #[must_use]
    pub fn counts(&self) -> &PcrCounts {
        &self.counts
    }

    /// What the executions have covered.
    #[must_use]
    pub fn coverage(&self) -> &MapCoverage {
        &self.coverage
    }

    /// Plans the next execution; false if no question is left.
    fn plan(&mut self) -> bool {
        while let Some((waiting, rank, candidate)) = self.next_candidate() {
            let key = candidate.key;
            if let Some(key) = key.filter(|_| self.settings.rules.uncovered) {
                if self.coverage.covers(key) {
                    // Perhaps by an execution since: its turn is after all that are not.
                    if rank < COVERED {
                        self.put_back(waiting, rank + COVERED, candidate);
                        continue;
                    }
                    if !self.settings.states
                        || !self
                            .states
                            .insert(state(&self.waiting[waiting], &candidate))
                    {
                        self.counts.filtered[1] += 1;
                        continue;
                    }
                }
                let attempts = self.attempts.entry(key).or_default();
                if *attempts >= self.settings.attempts && rank < COVERED {
                    self.counts.exhausted += 1;
                    continue;
                }
                *attempts += 1;
            }
            let foresight = &mut self.waiting[waiting].foresight;
            let answer = foresight.ask(
                &candidate.wish(),
                &self.settings.limits,
                &mut self.cores,
                &mut self.counts.questions,
            );
            if let Outlook::Possible(order) = answer {
                let plan = foresight.plan(&order);
                if self.pool.add(&plan) {
                    self.follower.start(plan);
                    self.aim_key = candidate.key;
                    self.aim = Some(candidate);
                    return true;
                }
            }
        }
        false
    }

    /// The best candidate of all traces, and the trace it is of.
    fn next_candidate(&mut self) -> Option<(usize, u8, Candidate)> {
        loop {
            let best = self
                .waiting
                .iter()
                .enumerate()
                .filter_map(|(index, waiting)| {
                    waiting.candidates.last().map(|(rank, _)| (*rank, index))
                })
                .min();
            if let Some((_, index)) = best {
                let (rank, candidate) = self.waiting[index].candidates.pop()?;
                return Some((index, rank, candidate));
            }
            // Everything was asked: the next window, or the next trace.
            let waiting = self.waiting.front_mut()?;
            match waiting.windows.pop_front() {
                Some(skip) => {
                    let record = Arc::clone(&waiting.record);
                    let (foresight, candidates) = self.look_ahead(record, skip);
                    let waiting = self.waiting.front_mut()?;
                    waiting.foresight = foresight;
                    waiting.candidates = candidates;
                }
                None => {
                    self.waiting.pop_front();
                }
            }
        }
    }

    fn put_back(&mut self, waiting: usize, rank: u8, candidate: Candidate) {
        // Best last, so the list falls.
        let candidates = &mut self.waiting[waiting].candidates;
        let place = candidates.partition_point(|(other, _)| *other >= rank);
        candidates.insert(place, (rank, candidate));
    }

    fn look_ahead(
        &mut self,
        record: Arc<ExecutionRecord>,
        skip: usize,
    ) -> (Foresight, Vec<(u8, Candidate)>) {
        let foresight = Foresight::new(
            record,
            self.coverage.sites_mut(),
            self.settings.contents,
            skip,
            &self.settings.limits,
            &mut self.counts.questions,
        );
        let coverage = &self.coverage;
        let construction = construct(foresight.model(), self.settings.rules, &|_| false);
        self.counts.capped += construction.capped;
        for (sum, dropped) in self.counts.filtered.iter_mut().zip(construction.filtered) {
            *sum += dropped;
        }
        let cuts = foresight.cuts();
        self.counts.cuts += cuts.timeouts + cuts.panics + cuts.unknown + cuts.opaque;
        let mut candidates: Vec<(u8, Candidate)> = construction
            .candidates
            .into_iter()
            .map(|candidate| {
                let covered = candidate.key.is_some_and(|key| coverage.covers(key));
                (
                    rank(&candidate) + if covered { COVERED } else { 0 },
                    candidate,
                )
            })
            .collect();
        // Stable: of equal rank in the order of construction; taken from the end.
        candidates.reverse();
        candidates.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
        (foresight, candidates)
    }

    fn add_trace(&mut self, record: &ExecutionRecord) {
        if !self.seen.insert(fingerprint(record)) {
            self.counts.equivalent += 1;
            return;
        }
        if self.waiting.len() >= self.settings.traces {
            self.counts.dropped += 1;
            return;
        }
        let record = Arc::new(record.clone());
        let (foresight, candidates) = self.look_ahead(Arc::clone(&record), 0);
        let model = foresight.model();
        let total = model.steps.len() + model.cuts.length as usize;
        let (windows, unseen) = windows(total, &self.settings.limits);
        self.counts.questions.unseen_steps += unseen as u64;
        self.waiting.push_back(Waiting {
            record,
            foresight,
            candidates,
            windows: windows.into_iter().skip(1).collect(),
        });
    }
}

/// Added to the rank of patterns that were covered.
const COVERED: u8 = 32;

/// A pattern with the values that its steps wrote: shown with others, it may lead to another state.
fn state(waiting: &Waiting, candidate: &Candidate) -> Name {
    let model = waiting.foresight.model();
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

/// What is asked first has the lower rank: values known, within calls, then by how often such an order is a bug: a read that changes
/// between, two variables seen half changed, a write of what is stale, and what overwrites last.
fn rank(candidate: &Candidate) -> u8 {
    let kind = match candidate.number() {
        4 => 0,
        12..=17 => 1,
        7 => 2,
        5 => 3,
        6 => 4,
        9..=11 => 5,
        8 => 6,
        _ => 7,
    };
    let apart = u8::from(!candidate.within_calls);
    let contents = u8::from(!candidate.valued);
    contents * 16 + apart * 8 + kind
}

impl Strategy for Pcr {
    fn begin(&mut self) -> bool {
        if self.left == 0 {
            return false;
        }
        self.aim = None;
        self.aim_key = None;
        if self.plan() {
            self.idle = 0;
        } else {
            if self.settings.idle > 0 && self.idle >= self.settings.idle {
                return false;
            }
            self.idle += 1;
            self.follower
                .start(crate::predict::PlannedSchedule::default());
        }
        self.left -= 1;
        true
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        if self.aim.is_some() {
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
        if self.aim.is_some() {
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
        let new = self.coverage.observe(record);
        if self.aim.is_some() {
            self.counts.planned += 1;
            self.follower.end(&record.events);
            match self.follower.divergence() {
                Some(Divergence::Different) => self.counts.different += 1,
                Some(Divergence::Blocked | Divergence::Spinning) => self.counts.blocked += 1,
                None if self.aim_key.is_none_or(|key| self.coverage.covers(key)) => {
                    self.counts.realised += 1
                }
                None => self.counts.unrealised += 1,
            }
        } else {
            self.counts.random += 1;
            if new > 0 {
                self.idle = 0;
            }
        }
        self.add_trace(record);
    }
}
