//! What the order of sequentially consistent events forbids.

use std::sync::atomic::Ordering;

use super::Clocks;
use super::history::Location;
use contest_data::execution_graph::{Deeds, EventSet, ExecutionGraph, Node};
use contest_data::trace::ThreadIndex;

/// The execution graph, as long as it is small enough, and who is in it.
#[derive(Debug, Default)]
pub(super) struct OrderOfSc {
    graph: ExecutionGraph,
    /// Thread and epoch of each node.
    epochs: Vec<(ThreadIndex, u32)>,
    accesses: u32,
    fences: u32,
    /// There were more events than the graph has room for.
    full: bool,
}

/// A location, and the place of the write that is taken.
type Taken<'l> = (&'l Location, usize);

impl OrderOfSc {
    pub(super) fn clear(&mut self) {
        self.graph.clear();
        self.epochs.clear();
        self.accesses = 0;
        self.fences = 0;
        self.full = false;
    }

    /// Whether an operation may take a write that is not the newest one; `None` if that is not known.
    pub(super) fn allows(
        &mut self,
        (thread, deeds, order): (ThreadIndex, Deeds, Ordering),
        (location, at): Taken<'_>,
        clocks: &impl Clocks,
    ) -> Option<bool> {
        let is_sc = order == Ordering::SeqCst;
        // It adds steps of the order from an event that is sequentially consistent or after such a fence, to another
        // one.
        if self.fences == 0 && !(is_sc && self.accesses > 0) {
            return Some(true);
        }
        if self.full || self.graph.len() == ExecutionGraph::MOST {
            return None;
        }
        let message = &location.messages[at];
        let mut before = self.before(thread, clocks.own());
        let acquires = matches!(
            order,
            Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst
        );
        if acquires && deeds != Deeds::Write {
            before |= self.before(thread, clocks.handed_on(message.number));
        }
        let node = Node {
            thread: thread.0,
            deeds,
            location: location.number,
            order,
            from: message.node,
        };
        self.graph.push_ordered(node, before, place(location, at));
        let allowed = self.graph.psc_is_acyclic();
        self.graph.pop();
        Some(allowed)
    }

    /// The nodes that happen before what a thread with this clock does next.
    fn before(&self, thread: ThreadIndex, clock: &[u32]) -> EventSet {
        let nodes = self.epochs.iter().enumerate();
        nodes.fold(0, |set, (node, &(other, epoch))| {
            let known = clock.get(other.index()).copied().unwrap_or(0);
            set | EventSet::from(other == thread || epoch <= known) << node
        })
    }

    /// Adds an operation that was performed; returns its number in the graph.
    pub(super) fn perform(
        &mut self,
        (thread, deeds, order, epoch): (ThreadIndex, Deeds, Ordering, u32),
        (location, at): Taken<'_>,
        from: Option<usize>,
        clock: &[u32],
    ) -> Option<usize> {
        self.accesses += u32::from(order == Ordering::SeqCst);
        if self.is_full() {
            return None;
        }
        let node = Node {
            thread: thread.0,
            deeds,
            location: location.number,
            order,
            from,
        };
        Some(self.add(node, epoch, clock, place(location, at)))
    }

    pub(super) fn fence(
        &mut self,
        thread: ThreadIndex,
        order: Ordering,
        epoch: u32,
        clock: &[u32],
    ) {
        self.fences += u32::from(order == Ordering::SeqCst);
        if self.is_full() {
            return;
        }
        let node = Node {
            thread: thread.0,
            deeds: Deeds::Fence,
            location: 0,
            order,
            from: None,
        };
        self.add(node, epoch, clock, 0);
    }

    /// True if there is no room for one more.
    fn is_full(&mut self) -> bool {
        self.full |= self.graph.len() == ExecutionGraph::MOST;
        self.full
    }

    fn add(&mut self, node: Node, epoch: u32, clock: &[u32], place: usize) -> usize {
        let thread = ThreadIndex(node.thread);
        let before = self.before(thread, clock);
        self.graph.push_ordered(node, before, place);
        self.epochs.push((thread, epoch));
        self.graph.len() - 1
    }
}

/// How many writes in the graph come before what is right after this one.
fn place(location: &Location, at: usize) -> usize {
    let until = location.messages[location.first..=at].iter();
    until.filter(|message| message.node.is_some()).count()
}
