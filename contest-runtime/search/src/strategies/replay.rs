//! Replays one schedule as far as it fits.

use contest_data::decision::{Choice, DecisionPoint, MemoryPoint, Strategy};
use contest_data::limits::{Leeway, MemoryModel};
use contest_data::trace::schedule::check_of;
use contest_data::trace::{Decision, Event, ExecutionRecord, Pending, Schedule, ThreadIndex};
use std::panic::Location;

/// Replays a schedule; past its end, or where it no longer fits, the current thread runs as long as it can.
#[derive(Clone, Debug)]
pub struct Replay {
    schedule: Schedule,
    position: usize,
    done: bool,
    diverged: Option<Divergence>,
}

/// The first decision at which the code no longer does what was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Number of the decision, counting from 0.
    pub decision: usize,
    /// Number of events before it.
    pub step: usize,
    /// What differs, in words.
    pub what: String,
}

impl Replay {
    /// Replays this schedule once.
    #[must_use]
    pub fn new(schedule: Schedule) -> Self {
        Self {
            schedule,
            position: 0,
            done: false,
            diverged: None,
        }
    }

    /// Where the code first differed from the recording, if it did.
    #[must_use]
    pub fn divergence(&self) -> Option<&Divergence> {
        self.diverged.as_ref()
    }

    fn diverge(&mut self, step: usize, what: String) {
        if self.diverged.is_none() {
            self.diverged = Some(Divergence {
                decision: self.position,
                step,
                what,
            });
        }
    }
}

impl Strategy for Replay {
    fn begin(&mut self) -> bool {
        self.position = 0;
        !std::mem::replace(&mut self.done, true)
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        let set = point.enabled;
        if !set.has_several() {
            return Choice::Run(set.lowest());
        }
        let stay = if set.contains(point.current) && !point.yielded {
            point.current
        } else {
            let others = set.without(point.current);
            others.first().unwrap_or(set.lowest())
        };
        let step = point.events.len();
        let chosen = match self.schedule.decisions.get(self.position) {
            Some(&Decision::Thread(thread)) if set.contains(ThreadIndex(thread)) => {
                let pending = point.pending[usize::from(thread)].as_ref();
                let check = pending.map_or(0, |pending| check_of(pending.action, pending.name));
                if self
                    .schedule
                    .checks
                    .get(self.position)
                    .is_some_and(|recorded| *recorded != check)
                {
                    let now = pending.map_or("nothing", |pending| pending.name);
                    self.diverge(step, format!("thread {thread} is now about to `{now}`, which is not what was recorded"));
                }
                ThreadIndex(thread)
            }
            Some(&Decision::Thread(thread)) => {
                self.diverge(step, format!("thread {thread} cannot run here any more"));
                stay
            }
            Some(Decision::Value(_)) => {
                self.diverge(
                    step,
                    "a thread is to be chosen where a value was chosen before".to_owned(),
                );
                stay
            }
            None => {
                if !self.schedule.decisions.is_empty()
                    && self.position == self.schedule.decisions.len()
                {
                    self.diverge(
                        step,
                        "the execution goes on after the end of the recording".to_owned(),
                    );
                }
                stay
            }
        };
        self.position += 1;
        Choice::Run(chosen)
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        let chosen = match self.schedule.decisions.get(self.position) {
            Some(&Decision::Value(value)) if value < alternatives => value,
            _ => {
                self.diverge(
                    0,
                    "a value is to be chosen where none was recorded".to_owned(),
                );
                0
            }
        };
        self.position += 1;
        chosen
    }

    fn memory(&mut self, point: &MemoryPoint<'_>) -> Option<u16> {
        if point.coherent.len() < 2 {
            return Some(0);
        }
        let recorded = self.value(point.coherent.len() as u16);
        let found = point.alternative(recorded);
        if found.is_none() {
            let step = point.events.len();
            self.diverge(
                step,
                "what was read is not allowed here any more".to_owned(),
            );
        }
        Some(found.unwrap_or(0))
    }

    fn goes_on(
        &mut self,
        _events: &[Event],
        _thread: (ThreadIndex, Pending),
        _place: &'static Location<'static>,
    ) -> bool {
        self.value(2) == 1
    }

    fn fails_spuriously(&mut self) -> bool {
        self.value(2) == 1
    }

    fn memory_model(&self) -> Option<MemoryModel> {
        Some(self.schedule.memory_model)
    }

    fn leeway(&self) -> Leeway {
        self.schedule.leeway
    }

    fn seed(&mut self) -> u64 {
        (0..4).fold(0, |seed, part| {
            seed | u64::from(self.value(u16::MAX)) << (16 * part)
        })
    }

    fn end(&mut self, _record: &ExecutionRecord) {
        if self.position < self.schedule.decisions.len() {
            self.diverge(
                0,
                "the execution ends before the end of the recording".to_owned(),
            );
        }
    }
}
