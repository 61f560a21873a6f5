//! Graphs in which an earlier read takes the write that was added last.

use std::sync::atomic::Ordering;

use contest_data::execution_graph::EventSet;

use super::graph::{Checker, Entry, Graph, Name, Part, members};

impl Graph {
    /// The graphs in which an earlier read takes the last entry, a write. Of the others only those stay that were added
    /// before that read, or that the write depends on; it must be possible to add all that goes again, in one way only.
    pub(super) fn revisits(&self, checker: &mut Checker) -> Vec<Self> {
        let last = self.entries.len() - 1;
        let write = self.entries[last];
        let mut found = Vec::new();
        let reads = |entry: &Entry| entry.part == Part::Read && entry.location == write.location;
        if !self.entries.iter().any(reads) {
            return found;
        }
        let prefix = self.prefix(last);
        for (at, read) in self.entries.iter().enumerate() {
            if !reads(read) || prefix >> at & 1 != 0 {
                continue;
            }
            let later: EventSet = (!0 << at) & !(1 << at) & ((1 << last) - 1);
            let goes = later & !prefix;
            let others = prefix & !(1 << last);
            if !members(goes | 1 << at).all(|entry| self.was_added_last(entry, others)) {
                continue;
            }
            if !self.drew_first_values(goes | 1 << at) {
                continue;
            }
            self.revisit(at, goes, checker, &mut found);
        }
        found
    }

    fn revisit(&self, read: usize, goes: EventSet, checker: &mut Checker, found: &mut Vec<Self>) {
        let stays = |at: usize| goes >> at & 1 == 0;
        let write = *self.entries.last().expect("the write is there");
        let name = self.entries[read].name;
        let mut graph = Self::default();
        for (at, entry) in self.entries.iter().enumerate().filter(|(at, _)| stays(*at)) {
            let mut entry = *entry;
            if at == read {
                entry.from = Some(write.name);
            }
            graph.entries.push(entry);
        }
        let what = &self.entries[read];
        let may_write = what.update || what.exchange || what.object;
        graph.half = may_write.then_some(name);
        graph.values = self.values.clone();
        let drawn_by = |name: Name| graph.entries.iter().any(|entry| entry.name == name);
        graph.values.retain(|(of, ..)| *of != name && drawn_by(*of));
        if let Some(half) = graph.half
            && let Some(entry) = graph.entries.iter_mut().find(|entry| entry.name == half)
        {
            // Whether it will succeed is not known yet, and so is its order.
            entry.order = Ordering::Relaxed;
        }
        let is_written = |name: Name| {
            graph
                .entries
                .iter()
                .any(|entry| entry.part == Part::Write && entry.name == name)
        };
        for (location, order) in &self.orders {
            let kept = order.iter().copied();
            let kept: Vec<Name> = kept
                .filter(|other| *other != write.name && is_written(*other))
                .collect();
            // Numbers of locations without a write may mean others in the next execution.
            if !kept.is_empty() {
                graph.orders.push((*location, kept));
            }
        }
        let places = if write.update {
            let half = |entry: &&Entry| entry.name == write.name && entry.part == Part::Read;
            let from = graph.entries.iter().find(half).and_then(|entry| entry.from);
            let place = graph.place_after(write.location, from);
            place..=place
        } else {
            0..=graph.order(write.location).len()
        };
        for place in places {
            let mut placed = graph.clone();
            placed.put(write.location, place, write.name);
            if placed.is_consistent(checker) {
                found.push(placed);
            }
        }
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
        let is_present = |name: Name, part: Part| {
            members(present)
                .any(|other| self.entries[other].name == name && self.entries[other].part == part)
        };
        let write = match entry.part {
            Part::Fence | Part::Other => return true,
            Part::Write => {
                let is_read = members(present).any(|other| {
                    let other = &self.entries[other];
                    other.part == Part::Read && other.from == Some(entry.name)
                });
                if is_read {
                    return false;
                }
                Some(entry.name)
            }
            Part::Read => entry.from,
        };
        if write.is_some_and(|write| !is_present(write, Part::Write)) {
            return false;
        }
        let order = self.order(entry.location);
        let later = &order[self.place_after(entry.location, write)..];
        !later.iter().any(|later| is_present(*later, Part::Write))
    }
}
