//! What follows from an execution graph: what comes before what, orders that extend that, whether RC11 allows it.

use contest_data::execution_graph::{Deeds, EventSet, ExecutionGraph, Node};

use super::graph::{At, Graph, Part, Waits};

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

impl Graph {
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
