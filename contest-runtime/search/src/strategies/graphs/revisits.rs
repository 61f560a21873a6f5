//! Graphs in which an earlier read takes the write that was added last.

use std::sync::atomic::Ordering;

use contest_data::execution_graph::EventSet;

use super::checker::{Checker, members};
use super::graph::{At, Entry, Graph, Part, Waits};

impl Graph {
    /// Appends the graphs in which an earlier read takes the last entry, a write. Of the others only those stay that
    /// were added before that read, or that the write depends on; it must be possible to add all that goes again, in
    /// one way only.
    pub(super) fn revisits(&self, checker: &mut Checker, found: &mut Vec<Self>) {
        let last = self.entries.len() - 1;
        let write = self.entries[last];
        let reads = |entry: &Entry| entry.part == Part::Read && entry.location == write.location;
        if !self.entries.iter().any(reads) {
            return;
        }
        let rival = self.rival(last);
        if write.object && rival.is_none() && !self.entries.iter().any(|it| self.waits_with(it)) {
            // It comes after all others on the object, so it depends on them.
            return;
        }
        let prefix = self.prefix(last, checker);
        for (at, read) in self.entries.iter().enumerate() {
            if !reads(read) || prefix >> at & 1 != 0 {
                continue;
            }
            let later: EventSet = (!0 << at) & !(1 << at) & ((1 << last) - 1);
            let goes = later & !prefix;
            if rival.is_some_and(|rival| rival != at && goes >> rival & 1 == 0) {
                // Both would come right after the same write.
                continue;
            }
            let others = prefix & !(1 << last);
            if !members(goes | 1 << at).all(|entry| self.was_added_last(entry, others)) {
                continue;
            }
            if !self.drew_first_values(goes | 1 << at) {
                continue;
            }
            self.revisit(at, goes, checker, found);
        }
    }

    /// Another read-modify-write that reads what this entry, the write of one, comes right after.
    fn rival(&self, write: usize) -> Option<usize> {
        let Entry { name, update, .. } = self.entries[write];
        let own = self.find(name, Part::Read).filter(|_| update)?;
        let own = self.entry(own);
        self.entries.iter().position(|other| {
            let whole = other.update && other.part == Part::Read && other.name != name;
            whole && other.location == own.location && other.from == own.from
        })
    }

    fn revisit(&self, read: usize, goes: EventSet, checker: &mut Checker, found: &mut Vec<Self>) {
        let stays = |at: usize| goes >> at & 1 == 0;
        let last = self.entries.len() - 1;
        let write = self.entries[last];
        let mut graph = checker.empty();
        // By entry: its number in the new graph.
        let mut numbers = [0 as At; Self::MOST];
        for (at, entry) in self.entries.iter().enumerate().filter(|(at, _)| stays(*at)) {
            numbers[at] = graph.add(*entry);
        }
        let new_of = |at: At| numbers[usize::from(at)];
        let new_write = new_of(last as At);
        for entry in &mut graph.entries {
            // What they name stays: what is read by others does not go, and the prefix of the write is whole.
            entry.from = entry.from.map(new_of);
            if let Waits::For(other) = &mut entry.waits {
                *other = new_of(*other);
            }
        }
        let name = self.entries[read].name;
        let what = &mut graph.entries[usize::from(numbers[read])];
        what.from = Some(new_write);
        if what.update || what.exchange || what.object {
            // Whether it will succeed is not known yet, and so is its order.
            what.order = Ordering::Relaxed;
            graph.half = Some(name);
        }
        let values = self.values.iter().copied();
        let entries = &graph.entries;
        let drawn_by = |of| entries.iter().any(|entry| entry.name == of);
        graph
            .values
            .extend(values.filter(|(of, ..)| *of != name && drawn_by(*of)));
        for (location, order) in self.orders() {
            let kept = order.iter().copied();
            let kept = kept.filter(|&at| usize::from(at) != last && stays(usize::from(at)));
            // Numbers of locations without a write may mean others in the next execution.
            for (place, at) in kept.enumerate() {
                graph.put(location, place, new_of(at));
            }
        }
        let places = if write.update {
            let from = graph.find(write.name, Part::Read);
            let from = from.and_then(|half| graph.entry(half).from);
            let place = graph.place_after(write.location, from);
            place..=place
        } else {
            0..=graph.order(write.location).len()
        };
        for place in places {
            graph.put(write.location, place, new_write);
            if graph.is_consistent(checker) {
                let copy = checker.copy(&graph);
                found.push(copy);
            }
            graph.take_out(write.location, place);
        }
        checker.free(graph);
    }

    /// True if these entries drew only first values: the others come from drawing again.
    fn drew_first_values(&self, set: EventSet) -> bool {
        self.values.iter().all(|&(name, _, value)| {
            value == 0 || !members(set).any(|at| self.entries[at].name == name)
        })
    }

    /// True if the entry is as it would be had it been added last, when only what was added before it and these
    /// others were there: so that each graph is reached in one way.
    fn was_added_last(&self, at: usize, others: EventSet) -> bool {
        let entry = &self.entries[at];
        let present: EventSet = (1 << at) | ((1 << at) - 1) | others;
        let is_present = |at: At| present >> at & 1 != 0;
        let write = match entry.part {
            Part::Fence | Part::Other => return true,
            Part::Write => {
                let is_read = members(present).any(|other| {
                    let other = &self.entries[other];
                    other.part == Part::Read && other.from == Some(at as At)
                });
                if is_read {
                    return false;
                }
                Some(at as At)
            }
            Part::Read => entry.from,
        };
        if write.is_some_and(|write| !is_present(write)) {
            return false;
        }
        let order = self.order(entry.location);
        let later = &order[self.place_after(entry.location, write)..];
        !later.iter().any(|later| is_present(*later))
    }
}
