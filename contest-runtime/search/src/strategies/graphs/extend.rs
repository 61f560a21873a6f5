//! Atomic operations: those of a graph are followed, new ones are added in all ways.

use contest_data::decision::MemoryPoint;
use contest_data::trace::Action;

use super::graph::{Entry, Graph, Name, Part, Waits};
use super::operation::{entries_of, name_of, succeeds};
use super::{Graphs, TOO_LARGE};

/// The point's alternative for this write.
fn alternative(point: &MemoryPoint<'_>, write: Option<Name>) -> Option<u16> {
    let mut alternatives = point.alternatives.iter();
    let found = alternatives.position(|&at| name_of(point, usize::from(at)) == write);
    found.map(|at| at as u16)
}

impl Graphs {
    /// Follows the graph.
    pub(super) fn replay(&mut self, name: Name, point: &MemoryPoint<'_>) -> Option<u16> {
        let read = self.graph.find(name, Part::Read);
        let read = read.map(|at| self.graph.entries[at]);
        self.graph.relocate(name, point.pending.object.0);
        self.check_located();
        if self.adds_nothing() {
            return Some(0);
        }
        if self.graph.half == Some(name) {
            let from = read?.from;
            return self.complete(name, from, point);
        }
        match read {
            Some(read) => alternative(point, read.from),
            None => {
                // What comes before it of what there is now.
                let mut orders = self.graph.orders.iter();
                let (_, order) = orders.find(|(_, order)| order.contains(&name))?;
                let until = order.iter().position(|write| *write == name)?;
                let there = |write: &Name| {
                    (0..point.writes.len()).any(|at| name_of(point, at) == Some(*write))
                };
                let before = order[..until].iter().rev().find(|write| there(write));
                alternative(point, before.copied())
            }
        }
    }

    /// The last operation of a graph: a read-modify-write of which only the read is there.
    fn complete(&mut self, name: Name, from: Option<Name>, point: &MemoryPoint<'_>) -> Option<u16> {
        self.graph.half = None;
        let at = self.graph.find(name, Part::Read)?;
        let succeeds = succeeds(point, from);
        let (read, write) = entries_of(point, name, from, succeeds);
        self.graph.entries[at] = Entry {
            waits: self.graph.entries[at].waits,
            ..read
        };
        if let Some(write) = write {
            self.graph.add_write(write, from);
            let revisits = self.graph.revisits(&mut self.checker);
            self.work.extend(revisits);
        }
        alternative(point, from)
    }

    /// Adds an operation in all ways; goes on with the first.
    pub(super) fn extend(&mut self, name: Name, point: &MemoryPoint<'_>) -> Option<u16> {
        if self.graph.entries.len() + 2 > Graph::MOST {
            self.note_gap(TOO_LARGE);
            return None;
        }
        if let Action::Store(order) = point.pending.action {
            let write = Entry {
                name,
                part: Part::Write,
                update: false,
                exchange: false,
                location: point.pending.object.0,
                order,
                from: None,
                waits: Waits::Nothing,
                object: false,
            };
            for &at in &point.alternatives[1..] {
                let mut other = self.graph.clone();
                other.add_write(write, name_of(point, usize::from(at)));
                self.work.push(other);
            }
            let newest = name_of(point, usize::from(point.alternatives[0]));
            self.graph.add_write(write, newest);
            let revisits = self.graph.revisits(&mut self.checker);
            self.work.extend(revisits);
            return Some(0);
        }
        let base = self.graph.clone();
        let mut first = None;
        for at in (0..point.writes.len()).rev() {
            let from = name_of(point, at);
            let (read, write) = entries_of(point, name, from, succeeds(point, from));
            let allowed = point.alternatives.contains(&(at as u16));
            if !allowed && write.is_none() {
                continue;
            }
            self.graph.clone_from(&base);
            self.graph.entries.push(read);
            if let Some(write) = write {
                if !allowed {
                    // The read alone may be consistent.
                    self.graph.half = Some(name);
                    let consistent = self.graph.is_consistent(&mut self.checker);
                    self.graph.half = None;
                    if !consistent {
                        continue;
                    }
                }
                self.graph.add_write(write, from);
                let revisits = self.graph.revisits(&mut self.checker);
                self.work.extend(revisits);
            }
            if allowed {
                let graph = self.graph.clone();
                if first.is_none() {
                    first = Some(graph);
                } else {
                    self.work.push(graph);
                }
            }
        }
        self.graph = first?;
        Some(0)
    }
}
