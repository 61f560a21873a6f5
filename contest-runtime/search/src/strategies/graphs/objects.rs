//! Locks, channels and what else threads wait for.
//!
//! Every operation on such an object is a read-modify-write of its state, so that the operations on one object have an
//! order, which is part of the graph. An operation that waits in the state that it reads is in the graph without its
//! write; any later operation on the object may revisit it. A thread that waits is added only when no other can go on,
//! which delays the graphs in which it comes earlier, and loses none.

use std::sync::atomic::Ordering;

use contest_data::trace::{Action, BlockedThread, Event, LockMode, ObjectId, Pending, WaitsFor};

use super::graph::{Entry, Graph, Name, Part, Waits};
use super::operation::is_on_object;
use super::{Graphs, TOO_LARGE};

/// Locations from here on are objects, numbered by the execution.
const OBJECTS: u32 = 1 << 31;
/// The location of all objects, where an operation may concern two.
const ALL_OBJECTS: u32 = u32::MAX;

/// True if the operation changes a second object, or depends on one.
fn concerns_two(action: Action, object: ObjectId, second: ObjectId) -> bool {
    let other = second != ObjectId::NONE && second != object;
    other
        || matches!(
            action,
            Action::Wait
                | Action::Wake(_)
                | Action::WaitOver(_)
                | Action::SendTaken(_)
                | Action::ReceiveBegin
        )
}

/// What the operation synchronises at least.
fn order_of(action: Action) -> Ordering {
    match action {
        Action::Acquire(LockMode::Exclusive) => Ordering::Acquire,
        Action::Release(LockMode::Exclusive, None) => Ordering::Release,
        _ => Ordering::Relaxed,
    }
}

/// True if a thread that waits for this can be woken by an operation on an object.
fn waits_for_object(waits_for: &WaitsFor) -> bool {
    matches!(
        waits_for,
        WaitsFor::Lock(_)
            | WaitsFor::LockBehind { .. }
            | WaitsFor::Upgrade(_)
            | WaitsFor::LockAgain(_)
            | WaitsFor::Notification(_)
            | WaitsFor::Initialiser { .. }
            | WaitsFor::Room(_)
            | WaitsFor::Receiver(_)
            | WaitsFor::Message(_)
            | WaitsFor::Barrier { .. }
            | WaitsFor::Unpark
    )
}

fn entry(name: Name, location: u32, from: Option<Name>) -> Entry {
    Entry {
        name,
        part: Part::Read,
        update: false,
        exchange: false,
        location,
        order: Ordering::Relaxed,
        from,
        waits: Waits::Nothing,
        object: true,
    }
}

impl Graphs {
    /// The location of an operation.
    pub(super) fn location_of(&self, action: Action, object: ObjectId) -> u32 {
        match is_on_object(action) {
            false => object.0,
            true if self.one_order => ALL_OBJECTS,
            true => OBJECTS | object.0,
        }
    }

    /// An operation that was executed after all that is in the graph: adds it in all ways, goes on with this one.
    pub(super) fn extend_object(&mut self, name: Name, event: &Event) {
        if !self.one_order && concerns_two(event.action, event.object, event.second) {
            self.one_order = true;
            self.restart = true;
            return;
        }
        let location = self.location_of(event.action, event.object);
        self.add_on_object(name, location, Some(order_of(event.action)));
    }

    /// The last operation of a graph: an operation on an object without its write, which was executed now.
    pub(super) fn complete_object(&mut self, name: Name, event: &Event) {
        self.graph.half = None;
        let Some(at) = self.graph.find(name, Part::Read) else {
            return;
        };
        let read = &mut self.graph.entries[at];
        read.update = true;
        read.order = order_of(event.action);
        let (write, from) = (*read, read.from);
        self.write(write, from);
    }

    fn write(&mut self, read: Entry, from: Option<Name>) {
        let write = Entry {
            part: Part::Write,
            from: None,
            ..read
        };
        self.graph.add_write(write, from);
        let revisits = self.graph.revisits(&mut self.checker);
        self.work.extend(revisits);
    }

    /// Adds an operation at each place in the order of its object; goes on with the last place. `order`: how it
    /// synchronises; `None` if it waits there.
    fn add_on_object(&mut self, name: Name, location: u32, order: Option<Ordering>) {
        if self.graph.entries.len() + 2 > Graph::MOST {
            self.note_gap(TOO_LARGE);
            return;
        }
        let writes = self.graph.order(location).to_vec();
        let earlier = writes.iter().rev().skip(1).copied().map(Some);
        let initial = (!writes.is_empty()).then_some(None);
        for from in earlier.chain(initial) {
            let base = self.graph.clone();
            self.graph.entries.push(entry(name, location, from));
            self.graph.half = Some(name);
            let consistent = self.graph.is_consistent(&mut self.checker);
            self.graph.half = None;
            if consistent {
                let read = self.graph.entries.last_mut();
                let read = read.expect("the read was added");
                read.update = true;
                let read = *read;
                self.write(read, from);
            }
            self.graph = base;
        }
        let from = writes.last().copied();
        let mut read = entry(name, location, from);
        read.update = order.is_some();
        read.order = order.unwrap_or(Ordering::Relaxed);
        self.graph.entries.push(read);
        if order.is_some() {
            self.write(read, from);
        }
    }

    /// The operation with which the thread waits according to the graph.
    pub(super) fn waiting(&self, thread: u16) -> Option<usize> {
        let is = |entry: &Entry| {
            let waits = entry.object && entry.part == Part::Read && !entry.update;
            waits && entry.name.thread == thread && self.graph.half != Some(entry.name)
        };
        self.graph.entries.iter().position(is)
    }

    /// True if a thread waits in a state that has changed since: it waits in the newest one in another graph.
    pub(super) fn waits_in_the_past(&self) -> bool {
        self.graph.entries.iter().any(|entry| {
            let waits = entry.object && entry.part == Part::Read && !entry.update;
            let later = self.graph.place_after(entry.location, entry.from);
            waits && later < self.graph.order(entry.location).len()
        })
    }

    /// This thread waits, and no other can go on.
    pub(super) fn add_waiting(&mut self, name: Name, pending: &Pending) {
        if is_on_object(pending.action) && self.waiting(name.thread).is_none() {
            let location = self.location_of(pending.action, pending.object);
            self.add_on_object(name, location, None);
        }
    }

    fn location_of_blocked(&self, blocked: &BlockedThread) -> u32 {
        match self.one_order {
            true => ALL_OBJECTS,
            false => OBJECTS | blocked.object.0,
        }
    }

    /// What a thread that waits in the graph waits for is this object.
    pub(super) fn locate_blocked(&mut self, blocked: &BlockedThread) {
        if let Some(at) = self.waiting(blocked.thread.0) {
            let name = self.graph.entries[at].name;
            let location = self.location_of_blocked(blocked);
            self.graph.relocate(name, location);
        }
    }

    /// As [`add_waiting`](Self::add_waiting) for a thread at the end of an execution.
    pub(super) fn add_blocked(&mut self, name: Name, blocked: &BlockedThread) {
        if waits_for_object(&blocked.waits_for) && self.waiting(name.thread).is_none() {
            let location = self.location_of_blocked(blocked);
            self.add_on_object(name, location, None);
        }
    }
}
