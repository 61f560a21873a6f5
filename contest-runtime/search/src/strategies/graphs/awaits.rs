//! Loops that wait for a change.
//!
//! A round of such a loop that comes back to where it began has done nothing but read, so an execution without that
//! round shows the same. The thread waits where the second round would begin, and each read of the first may be
//! revisited. A round is known by what the engine sees: that a thread reads the same at the same places several times
//! in a row. As everywhere in the search, the number of rounds is assumed not to matter; a round that reads another
//! value is another round, which may be the last.

use std::panic::Location;

use contest_data::decision::DecisionPoint;
use contest_data::trace::{Action, Event, ThreadIndex};

use super::Graphs;
use super::graph::{Entry, Part};
use super::operation::Round;

fn only_reads(action: Action) -> bool {
    matches!(
        action,
        Action::Load(_) | Action::CasFail(_) | Action::Yield | Action::Fence(_)
    )
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

    /// The first operation of the thread's last round, if it waits in a loop.
    pub(super) fn round_of(&self, thread: ThreadIndex, point: &DecisionPoint<'_>) -> Option<u32> {
        if self.rounds.is_empty() {
            return None;
        }
        let pending = point.pending[thread.index()]?;
        let may_only_read = only_reads(pending.action) || matches!(pending.action, Action::Rmw(..));
        if !may_only_read {
            // It has left the loop; what it does next has no place of its own.
            return None;
        }
        let place = point.places.place(thread)?;
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
                let added = self.graph.find(*write, Part::Write);
                added.is_some_and(|added| added < at)
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
