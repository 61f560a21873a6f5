//! Every execution graph of a program under RC11, once.
//!
//! TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis: "Truly Stateless, Optimal Dynamic Partial Order Reduction",
//! POPL 2022), section 3. A graph grows by the next event of the first thread that can go on; a read takes each write
//! that it may take, a write each place in modification order, and then every earlier read that it may be revisited
//! by. Here a graph is visited by running the program: one execution follows a graph and goes on to a complete one,
//! and all other ways to go on are put on a stack.
//!
//! Deviations: a read-modify-write is one operation of an execution, but two events of a graph. Graphs that are put
//! on the stack are consistent, but for compare-exchanges whose success is not known then; where such a graph turns
//! out not to be, its execution is given up.
//!
//! Only atomics, fences, and the creation and the end of threads are known. Other operations are a
//! [gap](Strategy::gap), as are loops that spin.

mod graph;
mod operation;

use std::sync::atomic::Ordering;

use contest_data::decision::{Choice, DecisionPoint, MemoryPoint, Strategy, Traces};
use contest_data::limits::MemoryModel;
use contest_data::trace::{Action, Ending, Event, ExecutionRecord, ThreadIndex};
use graph::{Entry, Graph, Name, Part, Waits};
use operation::{entries_of, name_of, next_index, succeeds};

const OTHER_OBJECTS: &str = "locks, channels and the like are not explored exhaustively under rc11";
const SPINS: &str = "a loop that waits is not explored exhaustively under rc11";
const TOO_LARGE: &str =
    "an execution has too many operations to be explored exhaustively under rc11";
const SEVERAL_CREATORS: &str =
    "several threads create threads, which is not explored exhaustively under rc11";
const DIVERGED: &str = "the same decisions led to different operations";
const RANDOM: &str = "the code under test draws random numbers";
const VALUES: &str =
    "which of several waiting threads is woken is not explored exhaustively under rc11";

/// The strategy.
#[derive(Debug, Default)]
pub struct Graphs {
    work: Vec<Graph>,
    graph: Graph,
    /// What is still to be replayed of it, as entries in reverse.
    plan: Vec<usize>,
    /// Events that are in the graph.
    seen: usize,
    /// By thread: the event that created it, and its end.
    created: Vec<(u16, Name)>,
    ended: Vec<(u16, Name)>,
    /// The operation whose place was chosen last is in the graph already.
    chosen: bool,
    started: bool,
    exhausted: bool,
    gap: Option<&'static str>,
    traces: Traces,
}

impl Graphs {
    /// Nothing is explored yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn note_gap(&mut self, gap: &'static str) {
        self.gap.get_or_insert(gap);
    }

    /// Takes in what has been executed.
    fn catch_up(&mut self, events: &[Event]) {
        for event in &events[self.seen..] {
            self.take_in(event);
        }
        self.seen = events.len();
    }

    fn take_in(&mut self, event: &Event) {
        let name = Name {
            thread: event.thread.0,
            index: event.index,
        };
        match event.action {
            Action::Spawn(new) => {
                let others = self.created.iter();
                if others.clone().any(|(_, by)| by.thread != name.thread) {
                    self.note_gap(SEVERAL_CREATORS);
                }
                self.created.push((new.0, name));
            }
            Action::End => self.ended.push((event.thread.0, name)),
            _ => {}
        }
        if std::mem::take(&mut self.chosen) {
            self.settle(name, event);
            return;
        }
        if let Some(next) = self.plan.pop() {
            if self.graph.entries[next].name != name {
                self.note_gap(DIVERGED);
            }
            self.relocate(name, event.object.0);
            return;
        }
        let of = |list: &[(u16, Name)], thread: u16| {
            let mut list = list.iter();
            let found = list.find(|(other, _)| *other == thread);
            found.map_or(Waits::Nothing, |(_, name)| Waits::For(*name))
        };
        let (mut part, mut order, mut waits) = (Part::Other, Ordering::Relaxed, Waits::Nothing);
        match event.action {
            Action::Begin => waits = of(&self.created, name.thread),
            Action::Join(other) => waits = of(&self.ended, other.0),
            Action::Fence(of) => (part, order) = (Part::Fence, of),
            Action::LaneEnd => waits = Waits::All,
            Action::Spawn(_)
            | Action::End
            | Action::Yield
            | Action::CallBegin
            | Action::CallHold => {}
            _ => self.note_gap(OTHER_OBJECTS),
        }
        self.add(Entry {
            name,
            part,
            update: false,
            exchange: false,
            location: event.object.0,
            order,
            from: None,
            waits,
        });
    }

    /// The operation turned out to be this.
    fn settle(&mut self, name: Name, event: &Event) {
        self.relocate(name, event.object.0);
        let found = self.graph.entries.iter();
        let is_update = found
            .clone()
            .any(|entry| entry.name == name && entry.part == Part::Write && entry.update);
        let updates = matches!(event.action, Action::Rmw(..));
        let is_read_half = found
            .clone()
            .any(|entry| entry.name == name && entry.update);
        if is_update != updates && is_read_half {
            self.note_gap(DIVERGED);
        }
    }

    fn add(&mut self, entry: Entry) {
        if self.graph.entries.len() == Graph::MOST {
            self.note_gap(TOO_LARGE);
            return;
        }
        self.graph.entries.push(entry);
    }

    /// Objects are numbered anew in each execution.
    fn relocate(&mut self, name: Name, object: u32) {
        for entry in &mut self.graph.entries {
            if entry.name == name {
                entry.location = object;
            }
        }
        let own = self.graph.orders.iter_mut();
        for (location, order) in own {
            if order.contains(&name) {
                *location = object;
            }
        }
    }

    /// The strategy's alternative for this write.
    fn alternative(point: &MemoryPoint<'_>, write: Option<Name>) -> Option<u16> {
        let found = point
            .alternatives
            .iter()
            .position(|&at| name_of(point, usize::from(at)) == write);
        found.map(|at| at as u16)
    }

    /// Follows the graph.
    fn replay(&mut self, name: Name, point: &MemoryPoint<'_>) -> Option<u16> {
        let read = self
            .entry(name, Part::Read)
            .map(|at| self.graph.entries[at]);
        let location = point.pending.object.0;
        self.relocate(name, location);
        if self.graph.half == Some(name) {
            let from = read?.from;
            return self.complete(name, from, point);
        }
        match read {
            Some(read) => Self::alternative(point, read.from),
            None => {
                // What comes before it of what there is now.
                let mut orders = self.graph.orders.iter();
                let (_, order) = orders.find(|(_, order)| order.contains(&name))?;
                let until = order.iter().position(|write| *write == name)?;
                let there = |write: &Name| {
                    (0..point.writes.len()).any(|at| name_of(point, at) == Some(*write))
                };
                let before = order[..until].iter().rev().find(|write| there(write));
                Self::alternative(point, before.copied())
            }
        }
    }

    /// The last operation of a graph: a read-modify-write of which only the read is there.
    fn complete(&mut self, name: Name, from: Option<Name>, point: &MemoryPoint<'_>) -> Option<u16> {
        self.graph.half = None;
        let at = self.entry(name, Part::Read)?;
        let succeeds = succeeds(point, from);
        let (read, write) = entries_of(point, name, from, succeeds);
        self.graph.entries[at] = Entry {
            waits: self.graph.entries[at].waits,
            ..read
        };
        if let Some(write) = write {
            self.add_write(write, from);
            let revisits = self.graph.revisits();
            self.work.extend(revisits);
        }
        Self::alternative(point, from)
    }

    fn add_write(&mut self, write: Entry, after: Option<Name>) {
        let place = self.graph.place_after(write.location, after);
        self.graph.put(write.location, place, write.name);
        self.graph.entries.push(write);
    }

    fn entry(&self, name: Name, part: Part) -> Option<usize> {
        let mut entries = self.graph.entries.iter();
        entries.position(|entry| entry.name == name && entry.part == part)
    }

    /// Adds an operation in all ways; goes on with the first.
    fn extend(&mut self, name: Name, point: &MemoryPoint<'_>) -> Option<u16> {
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
            };
            let unplaced = self.graph.clone();
            for &at in &point.alternatives[1..] {
                let mut other = unplaced.clone();
                std::mem::swap(&mut other, &mut self.graph);
                self.add_write(write, name_of(point, usize::from(at)));
                std::mem::swap(&mut other, &mut self.graph);
                self.work.push(other);
            }
            self.add_write(write, name_of(point, usize::from(point.alternatives[0])));
            let revisits = self.graph.revisits();
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
                    let consistent = self.graph.is_consistent();
                    self.graph.half = None;
                    if !consistent {
                        continue;
                    }
                }
                self.add_write(write, from);
                let revisits = self.graph.revisits();
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

impl Strategy for Graphs {
    fn begin(&mut self) -> bool {
        self.seen = 0;
        self.created.clear();
        self.ended.clear();
        self.chosen = false;
        self.plan.clear();
        if !self.started {
            self.started = true;
            self.graph.clear();
            return true;
        }
        if self.gap.is_some() {
            // What is left would prove nothing.
            return false;
        }
        let Some(graph) = self.work.pop() else {
            self.exhausted = true;
            return false;
        };
        self.graph = graph;
        if let Some(sorted) = self.graph.sorted() {
            let mut plan: Vec<usize> = sorted;
            plan.retain(|&at| {
                let entry = &self.graph.entries[at];
                !(entry.update && entry.part == Part::Write)
            });
            plan.reverse();
            self.plan = plan;
        }
        true
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        self.catch_up(point.events);
        if !point.spinning.is_empty() || point.last_resort {
            self.note_gap(SPINS);
        }
        if let Some(&next) = self.plan.last() {
            let thread = ThreadIndex(self.graph.entries[next].name.thread);
            if !point.enabled.contains(thread) {
                self.note_gap(DIVERGED);
                return Choice::Abandon;
            }
            return Choice::Run(thread);
        }
        Choice::Run(point.enabled.lowest())
    }

    fn memory(&mut self, point: &MemoryPoint<'_>) -> Option<u16> {
        self.catch_up(point.events);
        if point.catches_up {
            self.note_gap(SPINS);
        }
        let name = Name {
            thread: point.thread.0,
            index: next_index(point),
        };
        let choice = match self.plan.pop() {
            Some(at) if self.graph.entries[at].name == name => self.replay(name, point),
            Some(_) => {
                self.note_gap(DIVERGED);
                None
            }
            None => self.extend(name, point),
        };
        self.chosen = true;
        choice
    }

    fn value(&mut self, _alternatives: u16) -> u16 {
        self.note_gap(VALUES);
        0
    }

    fn memory_model(&self) -> Option<MemoryModel> {
        Some(MemoryModel::Rc11)
    }

    fn seed(&mut self) -> u64 {
        self.note_gap(RANDOM);
        0
    }

    fn end(&mut self, record: &ExecutionRecord) {
        if record.ending == Ending::Abandoned {
            self.traces.redundant += 1;
            return;
        }
        self.catch_up(&record.events);
        if record.writes.bounded {
            self.note_gap(TOO_LARGE);
        }
        self.traces.traces += 1;
    }

    fn exhausted(&self) -> bool {
        self.exhausted
    }

    fn gap(&self) -> Option<&'static str> {
        self.gap
    }

    fn traces(&self) -> Option<Traces> {
        Some(self.traces)
    }
}
