//! An execution in which a thread waits in a state that has changed since goes on as another graph.
//!
//! Such an execution is given up when nothing else can go on: the graph in which the thread finds the change is on the
//! stack. If this execution put it there, and nothing since, then all that was executed since could not have been done
//! in another way, and is an execution of that graph too. It need not be run again from the start.

use contest_data::decision::DecisionPoint;
use contest_data::trace::ThreadIndex;

use super::Graphs;
use super::graph::{At, Entry, Graph, Part};

/// The graph, as it is when this one, in which a thread waits, goes on as the other one. The thread's entry, too.
fn joined(graph: &Graph, other: &Graph) -> Option<(Graph, At)> {
    let name = other.half?;
    let earlier = other.entries.len();
    if graph.half.is_some() || graph.entries.len() < earlier || graph.values != other.values {
        return None;
    }
    let at = graph.find(name, Part::Read)?;
    if !graph.waits_with(graph.entry(at)) {
        return None;
    }
    let mut joined = graph.clone();
    // Threads that came to wait since are added again when no other can go on.
    while joined.entries.len() > earlier
        && joined
            .entries
            .last()
            .is_some_and(|entry| graph.waits_with(entry))
    {
        joined.entries.pop();
    }
    let since = &joined.entries[earlier..];
    // What was written since may have been read by the thread, had it not waited.
    if since
        .iter()
        .any(|entry| entry.part == Part::Write || graph.waits_with(entry))
    {
        return None;
    }
    joined.half = Some(name);
    let entry = joined.entries.get_mut(usize::from(at))?;
    *entry = Entry {
        from: other.entries.get(usize::from(at))?.from,
        ..*entry
    };
    let is_same = joined.entries[..earlier] == other.entries[..] && joined.has_orders_of(other);
    is_same.then_some((joined, at))
}

impl Graphs {
    /// Goes on as the graph that this execution put on the stack last, if what was executed is an execution of it;
    /// returns the thread that can go on in it.
    pub(super) fn take_up(&mut self, point: &DecisionPoint<'_>) -> Option<ThreadIndex> {
        let other = self.work[self.from_earlier..].last()?;
        let (joined, at) = joined(&self.graph, other)?;
        let name = joined.entry(at).name;
        let thread = ThreadIndex(name.thread);
        if !point.enabled.contains(thread)
            || self.next_index(thread) != name.index
            || !joined.is_consistent(&mut self.checker)
        {
            return None;
        }
        let earlier = std::mem::replace(&mut self.graph, joined);
        self.checker.free(earlier);
        if let Some(other) = self.work.pop() {
            self.checker.free(other);
        }
        self.plan.push(at);
        Some(thread)
    }
}
