//! An execution graph under construction: events in the order in which they were added, reads-from, modification order.

use std::sync::atomic::Ordering;

use contest_data::execution_graph::ExecutionGraph;

/// An event: its thread, and its number there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Name {
    pub thread: u16,
    pub index: u32,
}

/// Number of an entry in its graph.
pub(super) type At = u8;

/// What an entry does. A read-modify-write has two entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Part {
    Read,
    Write,
    Fence,
    Other,
}

/// An event of a graph, or a half of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: Name,
    pub part: Part,
    /// A half of a read-modify-write.
    pub update: bool,
    /// By a compare-exchange, which writes or not by what it reads.
    pub exchange: bool,
    /// It is on a lock, a channel or the like: as a read-modify-write of the object's state. Without its write it waits
    /// in the state that it reads.
    pub object: bool,
    /// It takes a lock for itself alone.
    pub takes: bool,
    /// Object, as the last execution numbered it.
    pub location: u32,
    pub order: Ordering,
    /// The write that it reads; `None`: the initial value.
    pub from: Option<At>,
    /// What it waits for by other means.
    pub waits: Waits,
}

/// What an event waits for by other means than reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waits {
    Nothing,
    /// This event.
    For(At),
    /// All that was added before it.
    All,
}

/// The writes to one location: a piece of [`Graph::writes`].
#[derive(Clone, Copy, Debug)]
struct Order {
    location: u32,
    start: u8,
    len: u8,
}

impl Order {
    fn range(self) -> std::ops::Range<usize> {
        usize::from(self.start)..usize::from(self.start) + usize::from(self.len)
    }
}

/// A graph.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// In the order in which they were added.
    pub entries: Vec<Entry>,
    /// For each location that was written to, where its writes are.
    orders: Vec<Order>,
    /// The writes of each location together, in modification order.
    writes: Vec<At>,
    /// A read-modify-write whose write is still to be added.
    pub half: Option<Name>,
    /// Values that events drew: the event, the how many-eth of its draws, the value.
    pub values: Vec<(Name, u16, u16)>,
}

impl Clone for Graph {
    fn clone(&self) -> Self {
        let mut graph = Self::default();
        graph.clone_from(self);
        graph
    }

    fn clone_from(&mut self, other: &Self) {
        self.entries.clone_from(&other.entries);
        self.orders.clone_from(&other.orders);
        self.writes.clone_from(&other.writes);
        self.half = other.half;
        self.values.clone_from(&other.values);
    }
}

impl Graph {
    /// Most entries.
    pub(super) const MOST: usize = ExecutionGraph::MOST;

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.orders.clear();
        self.writes.clear();
        self.half = None;
        self.values.clear();
    }

    /// Writes to a location in modification order.
    pub(super) fn order(&self, location: u32) -> &[At] {
        let mut orders = self.orders.iter();
        let found = orders.find(|order| order.location == location);
        found.map_or(&[], |order| &self.writes[order.range()])
    }

    /// The writes to the location of this one, also while locations have no numbers of their own.
    pub(super) fn order_with(&self, write: At) -> &[At] {
        let mut orders = self.orders().map(|(_, order)| order);
        orders
            .find(|order| order.contains(&write))
            .unwrap_or_default()
    }

    /// The writes of each location, in modification order.
    pub(super) fn orders(&self) -> impl Iterator<Item = (u32, &[At])> {
        let orders = self.orders.iter();
        orders.map(|order| (order.location, &self.writes[order.range()]))
    }

    /// Where in modification order the write right after this one is.
    pub(super) fn place_after(&self, location: u32, write: Option<At>) -> usize {
        let order = self.order(location);
        write.map_or(0, |write| {
            let at = order.iter().position(|other| *other == write);
            at.map_or(order.len(), |at| at + 1)
        })
    }

    pub(super) fn entry(&self, at: At) -> &Entry {
        &self.entries[usize::from(at)]
    }

    /// Where in the order of addition the entry is.
    pub(super) fn find(&self, name: Name, part: Part) -> Option<At> {
        let mut entries = self.entries.iter();
        let found = entries.position(|entry| entry.name == name && entry.part == part);
        found.map(|at| at as At)
    }

    /// The write of this event to a location.
    pub(super) fn write_by(&self, location: u32, name: Name) -> Option<At> {
        let mut order = self.order(location).iter().copied();
        order.find(|&write| self.entry(write).name == name)
    }

    /// Adds an entry to the end of the graph.
    pub(super) fn add(&mut self, entry: Entry) -> At {
        self.entries.push(entry);
        (self.entries.len() - 1) as At
    }

    /// Adds the write to the end of the graph, right after this one in modification order.
    pub(super) fn add_write(&mut self, write: Entry, after: Option<At>) -> At {
        let place = self.place_after(write.location, after);
        let at = self.add(write);
        self.put(write.location, place, at);
        at
    }

    /// Objects are numbered anew in each execution: what this event is on has this number now. True if it had another
    /// one.
    pub(super) fn relocate(&mut self, at: At, location: u32) -> bool {
        let Entry {
            name,
            location: earlier,
            ..
        } = *self.entry(at);
        if earlier == location {
            return false;
        }
        for entry in &mut self.entries {
            if entry.name == name {
                entry.location = location;
            }
        }
        for order in &mut self.orders {
            let mut writes = self.writes[order.range()].iter();
            if writes.any(|&write| self.entries[usize::from(write)].name == name) {
                order.location = location;
            }
        }
        true
    }

    /// True if what the orders and the reads say of locations is what the entries say: false if two operations on one
    /// object were on different ones in the last execution.
    pub(super) fn is_located(&self) -> bool {
        let mut orders = self
            .orders()
            .enumerate()
            .map(|(number, (location, order))| {
                let mut earlier = self.orders[..number].iter();
                let is_first = earlier.all(|other| other.location != location);
                let mut writes = order.iter();
                is_first && writes.all(|&write| self.entry(write).location == location)
            });
        // What waits is located when its thread comes to it.
        let executed =
            |entry: &&Entry| !entry.object || entry.update || self.half == Some(entry.name);
        let reads = self.entries.iter().filter(executed);
        let mut reads = reads.filter_map(|entry| Some((entry, entry.from?)));
        orders.all(|is_so| is_so)
            && reads.all(|(entry, from)| self.entry(from).location == entry.location)
    }

    /// True if modification orders are those of the other graph.
    pub(super) fn has_orders_of(&self, other: &Self) -> bool {
        self.writes.len() == other.writes.len()
            && other
                .orders()
                .all(|(location, order)| self.order(location) == order)
    }

    /// Adds a write to the modification order of its location.
    pub(super) fn put(&mut self, location: u32, place: usize, write: At) {
        let found = self.orders.iter();
        let found = found.enumerate().find(|(_, at)| at.location == location);
        let Some((number, order)) = found else {
            self.orders.push(Order {
                location,
                start: self.writes.len() as u8,
                len: 1,
            });
            self.writes.push(write);
            return;
        };
        self.writes.insert(order.range().start + place, write);
        self.orders[number].len += 1;
        for later in &mut self.orders[number + 1..] {
            later.start += 1;
        }
    }

    /// Takes the write at this place out of the modification order of a location that has others.
    pub(super) fn take_out(&mut self, location: u32, place: usize) {
        let mut orders = self.orders.iter();
        if let Some(number) = orders.position(|order| order.location == location) {
            self.writes
                .remove(self.orders[number].range().start + place);
            self.orders[number].len -= 1;
            for later in &mut self.orders[number + 1..] {
                later.start -= 1;
            }
        }
    }

    /// True if a thread waits with this operation.
    pub(super) fn waits_with(&self, entry: &Entry) -> bool {
        let waits = entry.object && entry.part == Part::Read && !entry.update;
        waits && self.half != Some(entry.name)
    }
}
