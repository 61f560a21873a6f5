//! Atomic operations: those of a graph are followed, new ones are added in all ways.

use contest_data::decision::MemoryPoint;
use contest_data::gap::{Gap, WeakMemory};
use contest_data::trace::Action;

use super::Graphs;
use super::graph::{At, Entry, Graph, Name, Part, Waits};
use super::operation::{entries_of, name_of, succeeds};

impl Graphs {
    /// The write that the point shows at this place, in the graph; `None`: the initial value. An error if the graph
    /// does not have it.
    fn shown(&mut self, point: &MemoryPoint<'_>, at: usize) -> Result<Option<At>, ()> {
        let Some(name) = name_of(point, at) else {
            return Ok(None);
        };
        let found = self.graph.write_by(point.pending.object.0, name);
        if found.is_none() {
            self.note_gap(Gap::Diverged);
        }
        found.map(Some).ok_or(())
    }

    /// The point's alternative for this write.
    fn alternative(&self, point: &MemoryPoint<'_>, write: Option<At>) -> Option<u16> {
        let name = write.map(|write| self.graph.entry(write).name);
        let mut alternatives = point.alternatives.iter();
        let found = alternatives.position(|&at| name_of(point, usize::from(at)) == name);
        found.map(|at| at as u16)
    }

    /// Follows the graph, in which the operation is this entry.
    pub(super) fn replay(&mut self, at: At, point: &MemoryPoint<'_>) -> Option<u16> {
        self.relocate(at, point.pending.object.0);
        self.check_located();
        if self.adds_nothing() {
            return Some(0);
        }
        let entry = *self.graph.entry(at);
        if self.graph.half == Some(entry.name) {
            return self.complete(at, point);
        }
        if entry.part == Part::Read {
            return self.alternative(point, entry.from);
        }
        // What comes before it of what there is now.
        let order = self.graph.order_with(at);
        let until = order.iter().position(|write| *write == at)?;
        let there = |write: At| {
            let name = self.graph.entry(write).name;
            (0..point.writes.len()).any(|at| name_of(point, at) == Some(name))
        };
        let mut before = order[..until].iter().rev().copied();
        let before = before.find(|&write| there(write));
        self.alternative(point, before)
    }

    /// The last operation of a graph: a read-modify-write of which only the read is there.
    fn complete(&mut self, at: At, point: &MemoryPoint<'_>) -> Option<u16> {
        self.graph.half = None;
        let Entry {
            name, from, waits, ..
        } = *self.graph.entry(at);
        let read_by = from.map(|from| self.graph.entry(from).name);
        let taken = (0..point.writes.len()).find(|&at| name_of(point, at) == read_by)?;
        let succeeds = succeeds(point, point.writes[taken].value);
        let (read, write) = entries_of(point, name, from, succeeds);
        self.graph.entries[usize::from(at)] = Entry { waits, ..read };
        if let Some(write) = write {
            self.graph.add_write(write, from);
            self.graph.revisits(&mut self.checker, &mut self.work);
        }
        self.alternative(point, from)
    }

    /// Adds an operation in all ways; goes on with the first.
    pub(super) fn extend(&mut self, name: Name, point: &MemoryPoint<'_>) -> Option<u16> {
        if self.graph.entries.len() + 2 > Graph::MOST {
            self.note_gap(Gap::WeakMemory(WeakMemory::TooLarge));
            return None;
        }
        self.chosen = Some(self.graph.entries.len() as At);
        if let Action::Store(order) = point.pending.action {
            let write = Entry {
                name,
                part: Part::Write,
                update: false,
                exchange: false,
                object: false,
                takes: false,
                location: point.pending.object.0,
                order,
                from: None,
                waits: Waits::Nothing,
            };
            for &at in &point.alternatives[1..] {
                let after = self.shown(point, usize::from(at)).ok()?;
                let mut other = self.checker.copy(&self.graph);
                other.add_write(write, after);
                self.work.push(other);
            }
            let newest = usize::from(point.alternatives[0]);
            let newest = self.shown(point, newest).ok()?;
            self.graph.add_write(write, newest);
            self.graph.revisits(&mut self.checker, &mut self.work);
            return Some(0);
        }
        let mut first: Option<Graph> = None;
        let last = point.writes.len() - 1;
        for at in (0..=last).rev() {
            let succeeds = succeeds(point, point.writes[at].value);
            let allowed = point.alternatives.contains(&(at as u16));
            if !allowed && !succeeds {
                continue;
            }
            let from = self.shown(point, at).ok()?;
            let (read, write) = entries_of(point, name, from, succeeds);
            let mut graph = self.checker.copy(&self.graph);
            graph.add(read);
            if let Some(write) = write {
                if !allowed {
                    // The read alone may be consistent.
                    graph.half = Some(name);
                    if !graph.is_consistent(&mut self.checker) {
                        self.checker.free(graph);
                        continue;
                    }
                    graph.half = None;
                }
                graph.add_write(write, from);
                graph.revisits(&mut self.checker, &mut self.work);
            }
            if !allowed {
                self.checker.free(graph);
            } else if first.is_none() {
                first = Some(graph);
            } else {
                self.work.push(graph);
            }
        }
        let earlier = std::mem::replace(&mut self.graph, first?);
        self.checker.free(earlier);
        Some(0)
    }
}
