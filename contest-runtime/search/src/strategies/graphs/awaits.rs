//! Loops that wait for a change.
//!
//! A round of such a loop that comes back to where it began has done nothing but read, so an execution without that
//! round shows the same. The thread waits where the second round would begin, and each read of the first may be
//! revisited. A round is known by what the engine sees: that a thread reads the same at the same places several times
//! in a row. Whether the loop then ends without a change is tried: the thread alone goes on and reads the same. If it
//! leaves the loop within a few rounds, the loop is bounded, and all of its rounds are explored. Else it waits: as
//! everywhere in the search, the number of rounds is assumed not to matter; a round that reads another value is another
//! round, which may be the last.

use std::panic::Location;

use contest_data::decision::{Choice, DecisionPoint, MemoryPoint};
use contest_data::trace::{Action, Event, Pending, ThreadIndex};

use super::Graphs;
use super::graph::{Entry, Part};
use super::operation::{Round, Trial};

/// Rounds of equal reads after which a loop is taken to wait.
const MOST_ROUNDS: u32 = 8;
/// Operations after which that is so, whatever the rounds are.
const MOST_OPERATIONS: usize = 64;

fn only_reads(action: Action) -> bool {
    matches!(
        action,
        Action::Load(_) | Action::CasFail(_) | Action::Yield | Action::Fence(_)
    )
}

/// True of an operation of a round, if it turns out not to write.
fn may_only_read(action: Action) -> bool {
    only_reads(action) || matches!(action, Action::Rmw(..))
}

/// Number of the operation with which the thread's last round began, if it is about to begin another one there, and
/// that round.
fn last_round(
    events: &[Event],
    thread: ThreadIndex,
    place: &'static Location<'static>,
) -> Option<(u32, Round)> {
    let own = events.iter().rev().filter(|event| event.thread == thread);
    let mut round = Round::new();
    for event in own.take_while(|event| only_reads(event.action)) {
        round.push((event.location, event.read));
        if event.location == place {
            return Some((event.index, round));
        }
    }
    None
}

impl Graphs {
    /// The engine found that the thread goes round a loop, and begins a round here; true if that round was not known.
    pub(super) fn learn_round(
        &mut self,
        events: &[Event],
        thread: ThreadIndex,
        place: Option<&'static Location<'static>>,
    ) -> bool {
        let round = place.and_then(|place| last_round(events, thread, place));
        match round {
            Some((_, round)) if !self.rounds.contains(&round) => {
                self.rounds.push(round);
                self.restart = true;
                true
            }
            _ => false,
        }
    }

    /// The thread read the same in several rounds and may begin another one here: true if it does not wait.
    pub(super) fn passes(
        &mut self,
        events: &[Event],
        (thread, pending): (ThreadIndex, Pending),
        place: &'static Location<'static>,
    ) -> bool {
        if self.restart || self.hangs || !self.gaps.is_empty() {
            return false;
        }
        if self.trial.is_some() || self.bounded.contains(&place) {
            return true;
        }
        if !may_only_read(pending.action) {
            return true;
        }
        match last_round(events, thread, place) {
            // It has left the loop.
            None => true,
            Some((_, round)) if self.rounds.contains(&round) => false,
            Some((_, round)) => {
                self.trial = Some(Trial {
                    thread,
                    place,
                    round,
                    rounds: 0,
                    since: events.len(),
                });
                true
            }
        }
    }

    /// What to do while a trial is under way. When it is over, the exploration begins anew.
    pub(super) fn try_on(&mut self, point: &DecisionPoint<'_>) -> Option<Choice> {
        let trial = self.trial.as_mut()?;
        let thread = trial.thread;
        let new = &point.events[trial.since..];
        let mut own = new.iter().filter(|event| event.thread == thread);
        let goes_on = point.enabled.contains(thread)
            && point.pending[thread.index()].is_some_and(|pending| may_only_read(pending.action))
            && own.all(|event| only_reads(event.action));
        if point.places.place(thread) == Some(trial.place) {
            trial.rounds += 1;
        }
        if goes_on && trial.rounds <= MOST_ROUNDS && new.len() < MOST_OPERATIONS {
            return Some(Choice::Run(thread));
        }
        self.end_trial(!goes_on);
        Some(Choice::Abandon)
    }

    /// What the thread of a trial reads: what it read in the last round. `None` if there is no trial.
    pub(super) fn try_to_read(&mut self, point: &MemoryPoint<'_>) -> Option<u16> {
        let trial = self.trial.as_ref()?;
        let place = self.running.1;
        let mut round = trial.round.iter();
        let read = round.find(|(at, _)| Some(*at) == place);
        let mut alternatives = point.alternatives.iter();
        let same = read.and_then(|(_, value)| {
            alternatives.position(|&at| point.writes[usize::from(at)].value == *value)
        });
        Some(same.unwrap_or(0) as u16)
    }

    /// `ends`: the loop ended without a change.
    pub(super) fn end_trial(&mut self, ends: bool) {
        let Some(trial) = self.trial.take() else {
            return;
        };
        if ends {
            self.bounded.push(trial.place);
        } else {
            self.rounds.push(trial.round);
        }
        self.restart = true;
    }

    /// The first operation of the thread's last round, if it waits in a loop.
    pub(super) fn round_of(&self, thread: ThreadIndex, point: &DecisionPoint<'_>) -> Option<u32> {
        if self.rounds.is_empty() {
            return None;
        }
        let pending = point.pending[thread.index()]?;
        if !may_only_read(pending.action) {
            // It has left the loop; what it does next has no place of its own.
            return None;
        }
        let place = point.places.place(thread)?;
        if self.bounded.contains(&place) {
            return None;
        }
        let (first, round) = last_round(point.events, thread, place)?;
        self.rounds.contains(&round).then_some(first)
    }

    fn reads_since(&self, thread: ThreadIndex, first: u32) -> impl Iterator<Item = usize> {
        let reads = move |entry: &Entry| {
            let name = entry.name;
            name.thread == thread.0 && name.index >= first && entry.part == Part::Read
        };
        let entries = self.graph.entries.iter().enumerate();
        entries
            .filter(move |(_, entry)| reads(entry))
            .map(|(at, _)| at)
    }

    /// True if a read of the round passed over a write that was in the graph before it: it can never be revisited, so
    /// the thread waits for ever.
    pub(super) fn began_stale(&self, thread: ThreadIndex, first: u32) -> bool {
        self.reads_since(thread, first).any(|at| {
            let read = &self.graph.entries[at];
            let later = self.graph.place_after(read.location, read.from);
            let newer = &self.graph.order(read.location)[later..];
            newer.iter().any(|write| {
                // It was added before.
                usize::from(*write) < at
            })
        })
    }

    /// True if a read of the round would take a newer write now.
    pub(super) fn is_stale(&self, thread: ThreadIndex, first: u32) -> bool {
        self.reads_since(thread, first).any(|at| {
            let read = &self.graph.entries[at];
            let later = self.graph.place_after(read.location, read.from);
            later < self.graph.order(read.location).len()
        })
    }
}
