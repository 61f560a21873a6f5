//! PCR (Zhao, Wang, Liu, Sun, Chen, Chen: Achieving high MAP-coverage through pattern constraint reduction): a
//! constraint solver plans executions that cover new patterns from the executions that ran.
//!
//! Deviations: a queue replaces the recursion, which drops results; a pattern is queried when its turn comes, unless an
//! execution has covered it in the meantime; patterns within single calls come first, because a broken atomicity of a
//! call is more likely a bug than an interleaving between calls; a covered pattern is queried again with values it was
//! not covered with, later the more often it was queried; a long trace is split into windows. It starts from several
//! executions, nearly serial ones first (`starts`).
//!
//! A plan is a legal execution of the model: every value that a later step may depend on is the one of the trace. Where
//! only the values of counters (variables changed by `fetch_add` and its like) make a pattern infeasible, it is queried
//! once more without them, because most code ignores what an addition returns. Such plans are *tentative*: they may
//! diverge, and are counted apart.

mod counts;
mod planning;
mod starts;
mod waiting;

use std::collections::VecDeque;
use std::sync::Arc;

pub use counts::{PcrCounts, PcrSettings};
use starts::Starts;
use waiting::{Attempts, Form, Waiting};

use crate::coverage::MapCoverage;
use crate::coverage::PatternKey;
use crate::coverage::{FastMap, FastSet};
use crate::research::predict::Name;
use crate::research::predict::SchedulePool;
use crate::research::predict::{Divergence, Follower, UnsatCores};
use crate::research::predict::{fingerprint, windows};
use crate::strategies::without_preemption;
use contest_data::decision::{Choice, DecisionPoint, Strategy};
use contest_data::rng::Rng;
use contest_data::trace::{Ending, ExecutionRecord, ThreadIndex};

/// The pattern of a planned execution.
#[derive(Clone, Copy, Debug)]
struct Aim {
    key: Option<PatternKey>,
    form: Form,
    /// For an open goal: the thread of the last access, and the number of that operation.
    then: Option<(ThreadIndex, u32)>,
}

/// PCR.
#[derive(Debug)]
pub struct Pcr {
    settings: PcrSettings,
    rng: Rng,
    left: u64,
    coverage: MapCoverage,
    waiting: VecDeque<Waiting>,
    held_events: u64,
    seen: FastSet<Name>,
    pool: SchedulePool,
    cores: UnsatCores,
    attempts: FastMap<PatternKey, Attempts>,
    states: FastSet<Name>,
    counts: PcrCounts,
    follower: Follower,
    starts: Starts,
    /// Aim of the present execution; `None` for a starting execution.
    aim: Option<Aim>,
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
            held_events: 0,
            seen: FastSet::default(),
            pool: SchedulePool::default(),
            cores: UnsatCores::default(),
            attempts: FastMap::default(),
            states: FastSet::default(),
            counts: PcrCounts::default(),
            follower: Follower::default(),
            starts: Starts::default(),
            aim: None,
            idle: 0,
        }
    }

    /// The counters so far.
    #[must_use]
    pub fn counts(&self) -> &PcrCounts {
        &self.counts
    }

    /// What the executions have covered.
    #[must_use]
    pub fn coverage(&self) -> &MapCoverage {
        &self.coverage
    }

    fn add_trace(&mut self, record: &ExecutionRecord) {
        if !self.seen.insert(fingerprint(record)) {
            self.counts.equivalent += 1;
            return;
        }
        let events = record.events.len() as u64;
        let is_full = self.held_events + events > self.settings.held_events;
        if self.waiting.len() >= self.settings.traces || is_full && !self.waiting.is_empty() {
            self.counts.dropped += 1;
            return;
        }
        let mut waiting = self.look_ahead(Arc::new(record.clone()), 0);
        let model = waiting.foresight.model();
        let modelled = model.steps.iter().filter(|step| !step.bound).count();
        let total = modelled + model.cuts.length as usize;
        let (windows, unseen) = windows(total, &self.settings.limits);
        self.counts.questions.unseen_steps += unseen as u64;
        waiting.windows = windows.into_iter().skip(1).collect();
        self.held_events += events;
        self.waiting.push_back(waiting);
    }

    /// After the plan: the thread of the last access of an open goal, else no preemption.
    fn go_on(&self, aim: Aim, point: &DecisionPoint<'_>) -> ThreadIndex {
        let able = |thread: ThreadIndex| (point.enabled & !point.spinning).contains(thread);
        let Some((thread, index)) = aim.then else {
            return without_preemption(point, point.enabled);
        };
        if thread.index() >= point.pending.len() && able(ThreadIndex::MAIN) {
            // Not started yet.
            return ThreadIndex::MAIN;
        }
        if able(thread) && self.follower.executed(thread) <= index {
            return thread;
        }
        without_preemption(point, point.enabled)
    }

    /// Counts the outcome of the plan.
    fn note(&mut self, aim: Aim) {
        let divergence = self.follower.divergence();
        let is_shown = divergence.is_none() && aim.key.is_none_or(|key| self.coverage.covers(key));
        if aim.form == Form::Tentative {
            self.counts.tentative += 1;
            self.counts.tentative_realised += u64::from(is_shown);
            self.counts.tentative_diverged += u64::from(divergence.is_some());
            return;
        }
        self.counts.planned += 1;
        match divergence {
            Some(Divergence::Different) => self.counts.different += 1,
            Some(Divergence::Blocked | Divergence::Spinning) => self.counts.blocked += 1,
            None if is_shown => self.counts.realised += 1,
            None => self.counts.unrealised += 1,
        }
    }
}

impl Strategy for Pcr {
    fn begin(&mut self) -> bool {
        if self.left == 0 {
            return false;
        }
        self.aim = None;
        let planned = self.counts.planned + self.counts.tentative;
        let is_due = self.starts.is_due(planned);
        if is_due || !self.plan() {
            if !is_due {
                if self.settings.idle > 0 && self.idle >= self.settings.idle {
                    return false;
                }
                self.idle += 1;
            }
            self.follower
                .start(crate::research::predict::PlannedSchedule::default());
            self.starts.begin(&mut self.rng);
        } else {
            self.idle = 0;
        }
        self.left -= 1;
        true
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        Choice::Run(if let Some(aim) = self.aim {
            self.follower
                .next(point)
                .unwrap_or_else(|| self.go_on(aim, point))
        } else {
            self.starts.thread(point, &mut self.rng)
        })
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
        if let Some(aim) = self.aim {
            self.follower.end(&record.events);
            self.note(aim);
        } else {
            self.counts.random += 1;
            if new > 0 {
                self.idle = 0;
            }
        }
        self.add_trace(record);
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        self.counts.in_words()
    }
}
