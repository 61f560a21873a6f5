//! An execution graph under construction: events in the order in which they were added, reads-from, modification order.

use std::sync::atomic::Ordering;

use contest_data::execution_graph::{Deeds, EventSet, ExecutionGraph, Node};

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

/// Buffers.
#[derive(Debug, Default)]
pub(super) struct Checker {
    graph: ExecutionGraph,
    /// For each entry those that come right before it.
    before: Vec<EventSet>,
    /// By thread: a set of its entries.
    threads: Vec<EventSet>,
    /// By entry: its event in `graph`.
    numbers: Vec<At>,
    sorted: Vec<At>,
    locations: Vec<u32>,
    /// Graphs that are not needed any more.
    spare: Vec<Graph>,
}

impl Checker {
    /// An empty graph.
    pub(super) fn empty(&mut self) -> Graph {
        let mut graph = self.spare.pop().unwrap_or_default();
        graph.clear();
        graph
    }

    pub(super) fn copy(&mut self, graph: &Graph) -> Graph {
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.clone_from(graph);
        copy
    }

    pub(super) fn free(&mut self, graph: Graph) {
        self.spare.push(graph);
    }
}

pub(super) fn members(mut set: EventSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let lowest = set.trailing_zeros() as usize;
            set &= set - 1;
            lowest
        })
    })
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

    /// For each entry those that come right before it: in its thread, by what it reads, by what it waits for. The
    /// entries of a thread were added in program order. True if the order of addition extends all that.
    fn right_before(&self, before: &mut Vec<EventSet>, last: &mut Vec<EventSet>) -> bool {
        before.clear();
        last.clear();
        let mut is_sorted = true;
        for (at, entry) in self.entries.iter().enumerate() {
            let thread = usize::from(entry.name.thread);
            if last.len() <= thread {
                last.resize(thread + 1, 0);
            }
            let mut set = std::mem::replace(&mut last[thread], 1 << at);
            if entry.part == Part::Read
                && let Some(from) = entry.from
            {
                set |= 1 << from;
                is_sorted &= usize::from(from) < at;
            }
            set |= match entry.waits {
                Waits::Nothing => 0,
                Waits::For(other) => 1 << other,
                Waits::All => (1 << at) - 1,
            };
            before.push(set);
        }
        is_sorted
    }

    /// Entries that an entry depends on by program order and reads-from, itself included.
    pub(super) fn prefix(&self, entry: usize, checker: &mut Checker) -> EventSet {
        self.right_before(&mut checker.before, &mut checker.threads);
        let mut set: EventSet = 1 << entry;
        let mut left = set;
        while left != 0 {
            let at = left.trailing_zeros() as usize;
            left &= left - 1;
            let new = checker.before[at] & !set;
            set |= new;
            left |= new;
        }
        set
    }

    /// Entries that happen before what a thread does next, whatever the orderings are: by program order, and by what
    /// threads wait for.
    pub(super) fn surely_before(&self, thread: u16) -> EventSet {
        let (mut set, mut threads): (EventSet, EventSet) = (0, 0);
        let bit = |thread: u16| 1 << (usize::from(thread) % Self::MOST);
        threads |= bit(thread);
        // What comes before an entry was added before it.
        for (at, entry) in self.entries.iter().enumerate().rev() {
            let own = bit(entry.name.thread);
            if (threads & own) | (set >> at & 1) == 0 {
                continue;
            }
            set |= 1 << at;
            threads |= own;
            set |= match entry.waits {
                Waits::Nothing => 0,
                Waits::For(other) => 1 << other,
                Waits::All => (1 << at) - 1,
            };
        }
        set
    }

    /// The entries in an order that extends program order and reads-from, those of one thread together where possible
    /// and the read of a half read-modify-write last; false if there is none.
    pub(super) fn sort(&self, checker: &mut Checker, sorted: &mut Vec<At>) -> bool {
        let Checker {
            before, threads, ..
        } = checker;
        self.right_before(before, threads);
        threads.fill(0);
        for (at, entry) in self.entries.iter().enumerate() {
            threads[usize::from(entry.name.thread)] |= 1 << at;
        }
        sorted.clear();
        let (mut done, mut last): (EventSet, usize) = (0, 0);
        let all = self.entries.len();
        while sorted.len() < all {
            let ready = |thread: usize| {
                let left = threads[thread] & !done;
                let at = left.trailing_zeros() as usize;
                let is_ready = left != 0 && before[at] & !done == 0;
                let is_half = is_ready && self.half == Some(self.entries[at].name);
                (is_ready && (!is_half || sorted.len() + 1 == all)).then_some(at)
            };
            let next = ready(last).or_else(|| (0..threads.len()).find_map(ready));
            let Some(at) = next else {
                return false;
            };
            last = usize::from(self.entries[at].name.thread);
            done |= 1 << at;
            sorted.push(at as At);
        }
        true
    }

    /// As [`sort`](Self::sort), in any such order.
    fn sort_somehow(
        &self,
        (before, threads): (&mut Vec<EventSet>, &mut Vec<EventSet>),
        sorted: &mut Vec<At>,
    ) -> bool {
        let is_sorted = self.right_before(before, threads);
        sorted.clear();
        let all = self.entries.len();
        if is_sorted {
            sorted.extend(0..all as At);
            return true;
        }
        let mut left: EventSet = if all == Self::MOST {
            !0
        } else {
            (1 << all) - 1
        };
        while left != 0 {
            let had = sorted.len();
            for at in members(left) {
                if before[at] & left == 0 {
                    left &= !(1 << at);
                    sorted.push(at as At);
                }
            }
            if sorted.len() == had {
                return false;
            }
        }
        true
    }

    /// True if a thread waits with this operation.
    pub(super) fn waits_with(&self, entry: &Entry) -> bool {
        let waits = entry.object && entry.part == Part::Read && !entry.update;
        waits && self.half != Some(entry.name)
    }

    /// True if RC11 allows it.
    pub(super) fn is_consistent(&self, checker: &mut Checker) -> bool {
        let Checker {
            graph,
            before,
            threads,
            numbers,
            sorted,
            locations,
            ..
        } = checker;
        if !self.sort_somehow((before, threads), sorted) {
            return false;
        }
        graph.clear();
        locations.clear();
        numbers.clear();
        numbers.resize(self.entries.len(), NONE);
        for &at in &*sorted {
            let entry = self.entry(at);
            if entry.update && entry.part == Part::Write {
                // With its read, which numbered it.
                continue;
            }
            let whole = entry.update && Some(entry.name) != self.half;
            let deeds = match entry.part {
                Part::Read if whole => Deeds::Update,
                Part::Read => Deeds::Read,
                Part::Write => Deeds::Write,
                Part::Fence => Deeds::Fence,
                Part::Other => Deeds::Other,
            };
            let (mut location, mut place) = (0, 0);
            let number = graph.len() as At;
            if matches!(entry.part, Part::Read | Part::Write) {
                let known = locations.iter().position(|other| *other == entry.location);
                location = known.unwrap_or_else(|| {
                    locations.push(entry.location);
                    locations.len() - 1
                });
                if matches!(deeds, Deeds::Write | Deeds::Update) {
                    for &write in self.order(entry.location) {
                        if self.entry(write).name == entry.name {
                            numbers[usize::from(write)] = number;
                            break;
                        }
                        place += usize::from(numbers[usize::from(write)] != NONE);
                    }
                }
            }
            numbers[usize::from(at)] = number;
            let event_of = |at: At| numbers[usize::from(at)];
            let after = match entry.waits {
                Waits::Nothing => 0,
                Waits::For(other) => 1 << event_of(other),
                Waits::All => (0..at).fold(0, |set, other| set | 1 << event_of(other)),
            };
            let node = Node {
                thread: entry.name.thread,
                deeds,
                location: location as u32,
                order: entry.order,
                from: entry.from.map(|from| usize::from(event_of(from))),
            };
            graph.push(node, after, place);
        }
        graph.is_consistent()
    }
}

/// No event.
const NONE: At = At::MAX;
