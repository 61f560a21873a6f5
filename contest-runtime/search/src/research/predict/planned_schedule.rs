//! A schedule as the engine follows it: which operation of which thread comes next, as far as it is planned.

use super::name::Name;
use super::step::StepId;
use super::trace_model::TraceModel;
use contest_data::decision::DecisionPoint;
use contest_data::trace::schedule::check_of;
use contest_data::trace::{Action, Event, ExecutionRecord, ObjectId, ThreadIndex, ThreadSet};

/// One planned operation. Earlier operations of its thread that matter to no other thread are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedStep {
    /// The thread.
    pub thread: ThreadIndex,
    /// Number of the operation in its thread.
    pub index: u32,
    /// What it is, as [`check_of`].
    pub check: u8,
    /// For a notification: the thread that it wakes.
    pub woken: u64,
}

/// A planned schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlannedSchedule {
    /// In order.
    pub steps: Vec<PlannedStep>,
}

impl PlannedSchedule {
    /// The schedule of these steps of the model, after the events that precede the model.
    #[must_use]
    pub fn new(
        model: &TraceModel,
        record: &ExecutionRecord,
        order: &[StepId],
        skipped: bool,
    ) -> Self {
        let planned = |event: &Event| PlannedStep {
            thread: event.thread,
            index: event.index,
            check: check_of(event.action, event.name),
            woken: if matches!(event.action, Action::Notify(_) | Action::FutexWake) {
                event.wrote
            } else {
                0
            },
        };
        let before = if skipped { model.begin as usize } else { 0 };
        let steps = record.events[..before].iter().map(planned);
        let visible = order.iter().filter(|&&step| !model.step(step).bound);
        let chosen = visible.map(|&step| planned(&record.events[model.step(step).event as usize]));
        Self {
            steps: steps.chain(chosen).collect(),
        }
    }

    /// Its identity in the pool: threads and operations.
    pub fn name(&self) -> Name {
        self.steps.iter().fold(Name::new(), |name, step| {
            name.with(u64::from(step.thread.0) << 32 | u64::from(step.index))
        })
    }
}

/// Follows a planned schedule in an execution.
#[derive(Clone, Debug, Default)]
pub struct Follower {
    plan: PlannedSchedule,
    position: usize,
    /// Operations each thread has executed.
    executed: Vec<u32>,
    seen: usize,
    /// Waiters of each condition variable.
    waiting: Vec<(ObjectId, ThreadSet)>,
    chosen: Option<(ThreadIndex, ObjectId)>,
    diverged: Option<Divergence>,
}

/// Why a plan could not be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divergence {
    /// The thread is about to do something else: a branch depended on what is not in the trace.
    Different,
    /// The thread cannot run.
    Blocked,
    /// The thread spins until something it read changes.
    Spinning,
}

impl Follower {
    /// Starts over with this plan.
    pub fn start(&mut self, plan: PlannedSchedule) {
        *self = Self {
            plan,
            ..Self::default()
        };
    }

    /// The execution is over; these were its events.
    pub fn end(&mut self, events: &[Event]) {
        self.catch_up(events);
    }

    /// Why the plan could not be followed, if so.
    #[must_use]
    pub fn divergence(&self) -> Option<Divergence> {
        self.diverged
    }

    /// True if everything planned was done.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.position >= self.plan.steps.len()
    }

    /// Operations that this thread has executed, as far as decision points have shown.
    #[must_use]
    pub fn executed(&self, thread: ThreadIndex) -> u32 {
        self.executed.get(thread.index()).copied().unwrap_or(0)
    }

    fn catch_up(&mut self, events: &[Event]) {
        for event in &events[self.seen..] {
            let thread = event.thread.index();
            if self.executed.len() <= thread {
                self.executed.resize(thread + 1, 0);
            }
            self.executed[thread] = event.index + 1;
            match event.action {
                Action::Wait => self.waiters(event.object).insert(event.thread),
                Action::FutexWait(false) => self.waiters(event.second).insert(event.thread),
                Action::Notify(_) | Action::FutexWake => {
                    *self.waiters(event.object) &= !ThreadSet::of_mask(event.wrote);
                }
                Action::Wake(_) => self.waiters(event.object).remove(event.thread),
                _ => {}
            }
        }
        self.seen = events.len();
        while let Some(step) = self.plan.steps.get(self.position) {
            if self.executed(step.thread) <= step.index {
                break;
            }
            self.position += 1;
        }
    }

    fn waiters(&mut self, object: ObjectId) -> &mut ThreadSet {
        let known = self.waiting.iter().position(|(of, _)| *of == object);
        let index = known.unwrap_or_else(|| {
            self.waiting.push((object, ThreadSet::EMPTY));
            self.waiting.len() - 1
        });
        &mut self.waiting[index].1
    }

    /// The next thread; `None` once the plan is done or cannot be followed.
    pub fn next(&mut self, point: &DecisionPoint<'_>) -> Option<ThreadIndex> {
        self.catch_up(point.events);
        if self.diverged.is_some() {
            return None;
        }
        let step = *self.plan.steps.get(self.position)?;
        let Some(pending) = point.pending.get(step.thread.index()) else {
            // Not started yet: other threads run until it is.
            return Some(point.enabled.lowest());
        };
        let executed = self.executed(step.thread);
        let as_planned = pending.is_some_and(|pending| {
            executed < step.index || check_of(pending.action, pending.name) == step.check
        });
        self.diverged = if !as_planned {
            Some(Divergence::Different)
        } else if point.enabled.contains(step.thread) {
            None
        } else if point.spinning.contains(step.thread) {
            Some(Divergence::Spinning)
        } else {
            Some(Divergence::Blocked)
        };
        if self.diverged.is_some() {
            return None;
        }
        self.chosen = pending.map(|pending| (step.thread, pending.object));
        Some(step.thread)
    }

    /// Which of several waiters the notification that is executed now wakes.
    pub fn value(&mut self, alternatives: u16) -> Option<u16> {
        let step = *self.plan.steps.get(self.position)?;
        let (thread, object) = self.chosen?;
        if self.diverged.is_some() || thread != step.thread || step.woken == 0 {
            return None;
        }
        let waiting = self.waiting.iter().find(|(of, _)| *of == object)?.1;
        let wanted = ThreadSet::of_mask(step.woken).lowest();
        let rank = waiting.iter().position(|thread| thread == wanted)? as u16;
        (rank < alternatives).then_some(rank)
    }
}
