//! An execution graph under construction: events in the order in which they were added, reads-from, modification order.

use std::sync::atomic::Ordering;

use contest_data::execution_graph::{Deeds, EventSet, ExecutionGraph, Node};
use contest_data::fast_hash::FastMap;

/// An event: its thread, and its number there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Name {
    pub thread: u16,
    pub index: u32,
}

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
    /// Object, as the last execution numbered it.
    pub location: u32,
    pub order: Ordering,
    /// What it reads; `None`: the initial value.
    pub from: Option<Name>,
    /// What it waits for by other means.
    pub waits: Waits,
    /// It is on a lock, a channel or the like: as a read-modify-write of the object's state. Without its write it waits
    /// in the state that it reads.
    pub object: bool,
}

/// What an event waits for by other means than reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waits {
    Nothing,
    /// This event.
    For(Name),
    /// All that was added before it.
    All,
}

/// A graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    /// In the order in which they were added.
    pub entries: Vec<Entry>,
    /// For each location that was written to, its writes in modification order.
    pub orders: Vec<(u32, Vec<Name>)>,
    /// A read-modify-write whose write is still to be added.
    pub half: Option<Name>,
    /// Values that events drew: the event, the how many-eth of its draws, the value.
    pub values: Vec<(Name, u16, u16)>,
}

/// Buffers for [`Graph::is_consistent`].
#[derive(Debug, Default)]
pub(super) struct Checker {
    graph: ExecutionGraph,
    numbers: FastMap<Name, usize>,
    locations: Vec<u32>,
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

impl Graph {
    /// Most entries.
    pub(super) const MOST: usize = ExecutionGraph::MOST;

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.orders.clear();
        self.half = None;
        self.values.clear();
    }

    /// Writes to a location in modification order.
    pub(super) fn order(&self, location: u32) -> &[Name] {
        let found = self.orders.iter().find(|(at, _)| *at == location);
        found.map_or(&[], |(_, order)| order)
    }

    /// Where in modification order the write right after this one is.
    pub(super) fn place_after(&self, location: u32, write: Option<Name>) -> usize {
        let order = self.order(location);
        write.map_or(0, |write| {
            let at = order.iter().position(|other| *other == write);
            at.map_or(order.len(), |at| at + 1)
        })
    }

    /// Where in the order of addition the entry is.
    pub(super) fn find(&self, name: Name, part: Part) -> Option<usize> {
        let mut entries = self.entries.iter();
        entries.position(|entry| entry.name == name && entry.part == part)
    }

    /// Adds the write to the end of the graph, right after this one in modification order.
    pub(super) fn add_write(&mut self, write: Entry, after: Option<Name>) {
        let place = self.place_after(write.location, after);
        self.put(write.location, place, write.name);
        self.entries.push(write);
    }

    /// Objects are numbered anew in each execution: what this event is on has this number now.
    pub(super) fn relocate(&mut self, name: Name, location: u32) {
        for entry in &mut self.entries {
            if entry.name == name {
                entry.location = location;
            }
        }
        for (at, order) in &mut self.orders {
            if order.contains(&name) {
                *at = location;
            }
        }
    }

    /// True if what the orders and the reads say of locations is what the entries say: false if two operations on one
    /// object were on different ones in the last execution.
    pub(super) fn is_located(&self) -> bool {
        let location_of = |name: Name| {
            let mut entries = self.entries.iter();
            let write = entries.find(|entry| entry.name == name && entry.part == Part::Write);
            write.map(|entry| entry.location)
        };
        let orders = self.orders.iter().enumerate();
        let mut orders = orders.map(|(number, (at, order))| {
            let is_first = self.orders[..number].iter().all(|(other, _)| other != at);
            is_first && order.iter().all(|name| location_of(*name) == Some(*at))
        });
        // What waits is located when its thread comes to it.
        let executed =
            |entry: &&Entry| !entry.object || entry.update || self.half == Some(entry.name);
        let reads = self.entries.iter().filter(executed);
        let mut reads = reads.filter_map(|entry| Some((entry, entry.from?)));
        orders.all(|is_so| is_so)
            && reads.all(|(entry, from)| location_of(from) == Some(entry.location))
    }

    /// Adds a write to the modification order of its location.
    pub(super) fn put(&mut self, location: u32, place: usize, write: Name) {
        match self.orders.iter_mut().find(|(at, _)| *at == location) {
            Some((_, order)) => order.insert(place, write),
            None => self.orders.push((location, vec![write])),
        }
    }

    /// For each entry those that come right before it: in its thread, by what it reads, by what it waits for. The
    /// entries of a thread were added in program order.
    fn right_before(&self) -> Vec<EventSet> {
        let mut last: Vec<EventSet> = Vec::new();
        let entries = self.entries.iter().enumerate();
        let sets = entries.map(|(at, entry)| {
            let thread = usize::from(entry.name.thread);
            if last.len() <= thread {
                last.resize(thread + 1, 0);
            }
            let mut set = std::mem::replace(&mut last[thread], 1 << at);
            if entry.part == Part::Read
                && let Some(from) = entry.from
                && let Some(write) = self.find(from, Part::Write)
            {
                set |= 1 << write;
            }
            set | match entry.waits {
                Waits::Nothing => 0,
                Waits::For(name) => {
                    let found = self.entries.iter().rposition(|other| other.name == name);
                    found.map_or(0, |found| 1 << found)
                }
                Waits::All => (1 << at) - 1,
            }
        });
        sets.collect()
    }

    /// Entries that an entry depends on by program order and reads-from, itself included.
    pub(super) fn prefix(&self, entry: usize) -> EventSet {
        let before = self.right_before();
        let mut set: EventSet = 1 << entry;
        let mut left = set;
        while left != 0 {
            let at = left.trailing_zeros() as usize;
            left &= left - 1;
            let new = before[at] & !set;
            set |= new;
            left |= new;
        }
        set
    }

    /// The entries in an order that extends program order and reads-from, those of one thread together where possible
    /// and the read of a half read-modify-write last; `None` if there is none.
    pub(super) fn sorted(&self) -> Option<Vec<usize>> {
        let before = self.right_before();
        let mut sorted = Vec::with_capacity(before.len());
        let mut done: EventSet = 0;
        let mut last = 0;
        let is_half = |at: usize| Some(self.entries[at].name) == self.half;
        while sorted.len() < before.len() {
            let ready = (0..before.len())
                .filter(|&at| done >> at & 1 == 0 && before[at] & !done == 0)
                .filter(|&at| !is_half(at) || sorted.len() + 1 == before.len());
            let next = ready.min_by_key(|&at| {
                let entry = &self.entries[at];
                (entry.name.thread != last, entry.name, entry.part)
            })?;
            last = self.entries[next].name.thread;
            done |= 1 << next;
            sorted.push(next);
        }
        Some(sorted)
    }

    /// True if RC11 allows it.
    pub(super) fn is_consistent(&self, checker: &mut Checker) -> bool {
        let Some(sorted) = self.sorted() else {
            return false;
        };
        let Checker {
            graph,
            numbers,
            locations,
        } = checker;
        graph.clear();
        numbers.clear();
        locations.clear();
        for at in sorted {
            let entry = &self.entries[at];
            if entry.update && entry.part == Part::Write {
                // With its read.
                continue;
            }
            let number = |name: &Name| numbers.get(name).copied();
            let whole = entry.update && Some(entry.name) != self.half;
            let deeds = match entry.part {
                Part::Read if whole => Deeds::Update,
                Part::Read => Deeds::Read,
                Part::Write => Deeds::Write,
                Part::Fence => Deeds::Fence,
                Part::Other => Deeds::Other,
            };
            let location = locations.iter().position(|other| *other == entry.location);
            let location = location.unwrap_or_else(|| {
                locations.push(entry.location);
                locations.len() - 1
            });
            let order = self.order(entry.location);
            let until = order.iter().position(|write| *write == entry.name);
            let mut earlier = order[..until.unwrap_or(0)].iter().rev();
            let place = earlier.find_map(number).map_or(0, |write| {
                let mut writes = graph.order(location as u32).iter();
                1 + writes.position(|other| *other == write).unwrap_or(0)
            });
            let after = match &entry.waits {
                Waits::Nothing => 0,
                Waits::For(name) => number(name).map_or(0, |number| 1 << number),
                Waits::All => (1 << graph.len()) - 1,
            };
            let node = Node {
                thread: entry.name.thread,
                deeds,
                location: location as u32,
                order: entry.order,
                from: entry.from.as_ref().and_then(number),
            };
            let at = graph.len();
            graph.push(node, after, place);
            numbers.insert(entry.name, at);
        }
        graph.is_consistent()
    }
}
