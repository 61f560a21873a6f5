//! Execution graphs, and which of them RC11 allows.
//!
//! Lahav, Vafeiadis, Kang, Hur and Dreyer, "Repairing Sequential Consistency in C/C++11" (PLDI 2017), section 3:
//! coherence, atomicity, and acyclicity of the partial SC relation `psc`. Deviation: release sequences are those of
//! C++20 (only read-modify-writes continue them). That program order and reads-from have no cycle is not checked:
//! events are added in an order that extends both.
//!
//! Sets of events are masks, so a graph has at most [`ExecutionGraph::MOST`] events.

use std::sync::atomic::Ordering;

mod psc;
#[cfg(test)]
mod tests;

/// A set of events of a graph.
pub type EventSet = u128;

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deeds {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes in one.
    Update,
    /// Orders others.
    Fence,
    /// Nothing to memory: the start of a thread, say.
    Other,
}

/// An event of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its thread.
    pub thread: u16,
    /// What it does.
    pub deeds: Deeds,
    /// Where; of no meaning for fences and others.
    pub location: u32,
    /// How it is ordered.
    pub order: Ordering,
    /// The event that wrote what it reads; `None` if that is the initial value, and for what does not read.
    pub from: Option<usize>,
}

impl Node {
    fn reads(&self) -> bool {
        matches!(self.deeds, Deeds::Read | Deeds::Update)
    }

    fn writes(&self) -> bool {
        matches!(self.deeds, Deeds::Write | Deeds::Update)
    }

    fn is_sc(&self) -> bool {
        self.order == Ordering::SeqCst && self.deeds != Deeds::Other
    }

    fn acquires(&self) -> bool {
        matches!(
            self.order,
            Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst
        )
    }

    fn releases(&self) -> bool {
        matches!(
            self.order,
            Ordering::Release | Ordering::AcqRel | Ordering::SeqCst
        )
    }
}

/// Events in an order that extends program order and reads-from, and the order of writes to each location.
#[derive(Clone, Debug, Default)]
pub struct ExecutionGraph {
    nodes: Vec<Node>,
    /// For each event, those that happen before it, without itself.
    before: Vec<EventSet>,
    /// By location: writes in modification order, after the initial value.
    orders: Vec<Vec<usize>>,
    /// For each event: what an acquire of its write acquires. Only of writes, and only where `push` computes it.
    handed_on: Vec<EventSet>,
    threads: Vec<ThreadSets>,
    buffers: Buffers,
}

/// What checks compute, by event.
#[derive(Clone, Debug, Default)]
struct Buffers {
    coherence: Vec<Coherence>,
    around: psc::Around,
    /// Steps of the SC order.
    next: Vec<EventSet>,
}

/// What comes after an event by modification order and reads-from.
#[derive(Clone, Copy, Debug, Default)]
struct Coherence {
    /// Writes later than what it wrote or read (`mo` and `rb` of the paper).
    later_writes: EventSet,
    /// With these, their readers and its own (`eco`).
    extended: EventSet,
    readers: EventSet,
    /// `extended` without its own readers.
    beyond: EventSet,
}

/// What of happens-before a thread keeps besides its last event.
#[derive(Clone, Copy, Debug, Default)]
struct ThreadSets {
    /// All that happens before what it does next.
    known: EventSet,
    /// What an acquire fence would add.
    to_acquire: EventSet,
    /// What the last release fence released.
    released: EventSet,
}

impl ExecutionGraph {
    /// Most events of a graph.
    pub const MOST: usize = EventSet::BITS as usize;

    /// Forgets everything; keeps buffers.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.before.clear();
        self.orders.iter_mut().for_each(Vec::clear);
        self.handed_on.clear();
        self.threads.clear();
    }

    /// Number of events.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The events.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The writes to a location in modification order, after the initial value.
    #[must_use]
    pub fn order(&self, location: u32) -> &[usize] {
        self.orders
            .get(location as usize)
            .map_or(&[], Vec::as_slice)
    }

    /// Adds an event of which others say what happens before it. `place`: of a write, how many writes to its location
    /// come before it.
    ///
    /// # Panics
    /// If the graph is full.
    pub fn push_ordered(&mut self, node: Node, before: EventSet, place: usize) {
        assert!(self.nodes.len() < Self::MOST, "an execution graph is full");
        if node.writes() {
            let location = node.location as usize;
            if self.orders.len() <= location {
                self.orders.resize(location + 1, Vec::new());
            }
            self.orders[location].insert(place, self.nodes.len());
        }
        self.nodes.push(node);
        self.before.push(before);
    }

    /// Takes back the last event.
    pub fn pop(&mut self) {
        if let Some(node) = self.nodes.pop() {
            self.before.pop();
            let event = self.nodes.len();
            if node.writes() {
                self.orders[node.location as usize].retain(|&write| write != event);
            }
        }
    }

    /// Adds an event, and computes what happens before it: what precedes it in its thread, with what it acquires.
    /// `after`: events that it waits for by other means (the creation of its thread, the end of a joined one).
    ///
    /// # Panics
    /// If the graph is full.
    pub fn push(&mut self, node: Node, after: EventSet, place: usize) {
        let event = self.nodes.len();
        let own = 1 << event;
        let thread = usize::from(node.thread);
        if self.threads.len() <= thread {
            self.threads.resize(thread + 1, ThreadSets::default());
        }
        let mut more = after;
        let mut waits = after;
        while waits != 0 {
            let other = waits.trailing_zeros() as usize;
            waits &= waits - 1;
            more |= self.before[other];
        }
        let continued = match node.from {
            Some(from) if node.reads() => self.handed_on[from],
            _ => 0,
        };
        let sets = &mut self.threads[thread];
        sets.known |= more;
        if node.reads() {
            sets.to_acquire |= continued;
            if node.acquires() {
                sets.known |= continued;
            }
        }
        if node.deeds == Deeds::Fence && node.acquires() {
            sets.known |= sets.to_acquire;
        }
        let before = sets.known;
        sets.known |= own;
        if node.deeds == Deeds::Fence && node.releases() {
            sets.released = sets.known;
        }
        let mut handed_on = 0;
        if node.writes() {
            handed_on = if node.releases() {
                sets.known
            } else {
                sets.released
            };
            if node.deeds == Deeds::Update {
                handed_on |= continued;
            }
        }
        self.handed_on.push(handed_on);
        self.push_ordered(node, before, place);
    }

    /// Of each event.
    fn coherence(&self, all: &mut Vec<Coherence>) {
        all.clear();
        all.resize(self.nodes.len(), Coherence::default());
        for (event, node) in self.nodes.iter().enumerate() {
            if let Some(from) = node.from
                && node.reads()
            {
                all[from].readers |= 1 << event;
            }
        }
        for order in &self.orders {
            let (mut writes, mut extended): (EventSet, EventSet) = (0, 0);
            for &write in order.iter().rev() {
                let of = &mut all[write];
                of.later_writes = writes;
                of.extended = extended | of.readers;
                of.beyond = extended;
                writes |= 1 << write;
                extended |= 1 << write | of.readers;
            }
        }
        for (event, node) in self.nodes.iter().enumerate() {
            if node.deeds != Deeds::Read {
                continue;
            }
            let from = match node.from {
                Some(from) => (all[from].later_writes, all[from].beyond),
                // Of the initial value: all writes, and their readers.
                None => self.order(node.location).first().map_or((0, 0), |&first| {
                    let of = &all[first];
                    let own: EventSet = 1 << first;
                    (of.later_writes | own, of.extended | own)
                }),
            };
            (all[event].later_writes, all[event].extended) = from;
        }
    }

    /// True if RC11 allows the graph.
    #[must_use]
    pub fn is_consistent(&mut self) -> bool {
        let mut buffers = std::mem::take(&mut self.buffers);
        self.coherence(&mut buffers.coherence);
        let mut both = buffers.coherence.iter().zip(&self.before);
        let coherent = both.all(|(event, before)| event.extended & before == 0);
        let consistent = coherent && self.is_atomic() && self.psc_is_acyclic_with(&mut buffers);
        self.buffers = buffers;
        consistent
    }

    /// True if every read-modify-write comes right after what it read.
    fn is_atomic(&self) -> bool {
        self.nodes.iter().enumerate().all(|(event, node)| {
            if node.deeds != Deeds::Update {
                return true;
            }
            let order = self.order(node.location);
            let at = order.iter().position(|&write| write == event);
            let read = node
                .from
                .and_then(|from| order.iter().position(|&write| write == from));
            let due = match node.from {
                Some(_) => read.map(|read| read + 1),
                None => Some(0),
            };
            at.is_some() && at == due
        })
    }

    /// True if the sequentially consistent events can be put in an order.
    #[must_use]
    pub fn psc_is_acyclic(&mut self) -> bool {
        if self.nodes.iter().filter(|node| node.is_sc()).count() < 2 {
            return true;
        }
        let mut buffers = std::mem::take(&mut self.buffers);
        self.coherence(&mut buffers.coherence);
        let acyclic = self.psc_is_acyclic_with(&mut buffers);
        self.buffers = buffers;
        acyclic
    }
}
