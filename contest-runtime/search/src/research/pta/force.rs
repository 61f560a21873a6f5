//! Forces the events of a requirement in their order: a thread whose next event comes later in the order waits.

use super::requirements::{Requirement, Step};
use super::shown::shows;
use super::unit::{access, may_access, site};
use crate::strategies::without_preemption;
use contest_data::decision::{DecisionPoint, ThreadSet};
use contest_data::trace::{Action, Event, ExecutionRecord, ThreadIndex};

/// The thread whose preceding calls run first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum First {
    Own,
    Other,
}

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ForceOutcome {
    Yes,
    /// Every enabled thread had to wait.
    NotHere,
    /// An event was not what it was when its thread ran alone.
    Diverged,
}

/// Progress of a thread.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    /// Calls begun.
    begun: u16,
    /// Accesses in the present call.
    place: u32,
}

/// One attempt.
#[derive(Debug)]
pub(super) struct Force {
    requirement: Requirement,
    first: First,
    standing: Vec<Standing>,
    read: usize,
    done: usize,
    given_up: Option<ForceOutcome>,
}

impl Force {
    pub(super) fn new(requirement: Requirement, first: First) -> Self {
        Self {
            requirement,
            first,
            standing: Vec::new(),
            read: 0,
            done: 0,
            given_up: None,
        }
    }

    /// The next thread.
    pub(super) fn choose(&mut self, point: &DecisionPoint<'_>) -> ThreadIndex {
        self.catch_up(point.events);
        if self.given_up.is_some() || self.done == self.requirement.steps.len() {
            return without_preemption(point, point.enabled);
        }
        if let Some(thread) = self.preparing(point) {
            return thread;
        }
        let next = self.requirement.steps[self.done];
        let paused = self.paused(point);
        let able = point.enabled & !paused;
        if able.is_empty() {
            self.given_up = Some(ForceOutcome::NotHere);
            return without_preemption(point, point.enabled);
        }
        if able.contains(next.thread) {
            return next.thread;
        }
        without_preemption(point, able)
    }

    /// Before the race, the calls in front of the two in question run: first one thread's, then the other's.
    fn preparing(&self, point: &DecisionPoint<'_>) -> Option<ThreadIndex> {
        let steps = &self.requirement.steps;
        let own = steps[0];
        let other = steps.iter().find(|step| step.thread != own.thread)?;
        let order = match self.first {
            First::Own => [&own, other],
            First::Other => [other, &own],
        };
        order
            .into_iter()
            .find(|step| {
                self.standing(step.thread).begun < step.call + 1 && !self.at_call(step, point)
            })
            .map(|step| step.thread)
            .filter(|thread| point.enabled.contains(*thread))
    }

    /// The thread is about to begin the call.
    fn at_call(&self, step: &Step, point: &DecisionPoint<'_>) -> bool {
        let pending = point.pending.get(step.thread.index()).copied().flatten();
        self.standing(step.thread).begun == step.call
            && pending.is_some_and(|pending| pending.action == Action::CallBegin)
    }

    /// Threads whose next event comes later in the order.
    fn paused(&self, point: &DecisionPoint<'_>) -> ThreadSet {
        let later = &self.requirement.steps[self.done + 1..];
        let next = self.requirement.steps[self.done];
        later
            .iter()
            .filter(|step| step.thread != next.thread)
            .filter(|step| {
                let standing = self.standing(step.thread);
                let pending = point.pending.get(step.thread.index()).copied().flatten();
                standing.begun == step.call + 1
                    && standing.place == step.place
                    && pending.is_some_and(|pending| may_access(pending.action))
            })
            .map(|step| step.thread)
            .collect()
    }

    fn standing(&self, thread: ThreadIndex) -> Standing {
        self.standing
            .get(thread.index())
            .copied()
            .unwrap_or_default()
    }

    fn catch_up(&mut self, events: &[Event]) {
        while self.read < events.len() {
            let event = &events[self.read];
            self.read += 1;
            if event.thread == ThreadIndex::MAIN {
                continue;
            }
            if event.thread.index() >= self.standing.len() {
                self.standing
                    .resize(event.thread.index() + 1, Standing::default());
            }
            let standing = &mut self.standing[event.thread.index()];
            if event.action == Action::CallBegin {
                standing.begun += 1;
                standing.place = 0;
                continue;
            }
            // What is no access, such as a writer that begins to wait, may be there or not.
            if access(event).is_none() || standing.begun == 0 {
                continue;
            }
            let (call, place) = (standing.begun - 1, standing.place);
            standing.place += 1;
            let Some(step) = self.requirement.steps.get(self.done).copied() else {
                continue;
            };
            if step.thread == event.thread && (call, place) == (step.call, step.place) {
                if site(event, place) == step.site {
                    self.done += 1;
                } else {
                    self.given_up = self.given_up.or(Some(ForceOutcome::Diverged));
                }
            } else if step.thread == event.thread && call > step.call {
                self.given_up = self.given_up.or(Some(ForceOutcome::Diverged));
            }
        }
    }

    /// The outcome in this execution.
    pub(super) fn outcome(mut self, record: &ExecutionRecord) -> ForceOutcome {
        self.catch_up(&record.events);
        if shows(record, &self.requirement) {
            ForceOutcome::Yes
        } else {
            self.given_up.unwrap_or(ForceOutcome::Diverged)
        }
    }
}
