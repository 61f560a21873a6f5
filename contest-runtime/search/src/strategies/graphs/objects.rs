//! Locks, channels and what else threads wait for.
//!
//! Every operation on such an object is a read-modify-write of its state, so that the operations on one object have an
//! order, which is part of the graph. An operation that waits in the state that it reads is in the graph without its
//! write; any later operation on the object may revisit it. A thread that waits is added only when no other can go on,
//! which delays the graphs in which it comes earlier, and loses none.

use std::sync::atomic::Ordering;

use contest_data::gap::{Gap, WeakMemory};
use contest_data::trace::{Action, BlockedThread, Event, LockMode, ObjectId, Pending, WaitsFor};

use super::Graphs;
use super::graph::{At, Entry, Graph, Name, Part, Waits};
use super::operation::is_on_object;
use super::turns::Needs;

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

/// True of an operation that takes a lock for its thread alone.
fn takes(action: Action) -> bool {
    action == Action::Acquire(LockMode::Exclusive)
}

/// An operation that is added to a graph.
#[derive(Clone, Copy)]
struct Turn {
    /// How it synchronises; `None` if it waits.
    order: Option<Ordering>,
    takes: bool,
    /// It cannot be executed while another thread has the lock.
    needs_lock: bool,
    needs: Needs,
}

impl Turn {
    fn of(action: Action, object: ObjectId, second: ObjectId) -> Self {
        Self {
            order: Some(order_of(action)),
            takes: takes(action),
            needs_lock: matches!(action, Action::Acquire(_)),
            needs: Needs::of(action, object, second),
        }
    }

    /// The same of an operation with which the thread waits.
    fn waits(self) -> Self {
        Self {
            order: None,
            takes: false,
            ..self
        }
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

fn entry(name: Name, location: u32, from: Option<At>) -> Entry {
    Entry {
        name,
        part: Part::Read,
        update: false,
        exchange: false,
        object: true,
        takes: false,
        location,
        order: Ordering::Relaxed,
        from,
        waits: Waits::Nothing,
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
    pub(super) fn extend_object(&mut self, name: Name, event: &Event, events: &[Event]) {
        if !self.one_order && concerns_two(event.action, event.object, event.second) {
            self.one_order = true;
            self.restart = true;
            return;
        }
        let location = self.location_of(event.action, event.object);
        let turn = Turn::of(event.action, event.object, event.second);
        self.add_on_object(name, location, turn, events);
    }

    /// The last operation of a graph: an operation on an object without its write, which was executed now.
    pub(super) fn complete_object(&mut self, at: At, event: &Event) {
        self.graph.half = None;
        let read = &mut self.graph.entries[usize::from(at)];
        read.update = true;
        read.order = order_of(event.action);
        read.takes = takes(event.action);
        let (write, from) = (*read, read.from);
        self.write(write, from);
    }

    fn write(&mut self, read: Entry, from: Option<At>) {
        let write = Entry {
            part: Part::Write,
            from: None,
            ..read
        };
        self.graph.add_write(write, from);
        self.graph.revisits(&mut self.checker, &mut self.work);
    }

    /// Adds an operation at each place in the order of its object; goes on with the last place.
    fn add_on_object(&mut self, name: Name, location: u32, turn: Turn, events: &[Event]) {
        if self.graph.entries.len() + 2 > Graph::MOST {
            self.note_gap(Gap::WeakMemory(WeakMemory::TooLarge));
            return;
        }
        let writes = self.graph.order(location).to_vec();
        let known = self.graph.surely_before(name.thread);
        // Not before what happens before it.
        let newer = writes.iter().rev().take_while(|&&at| known >> at & 1 == 0);
        let places = newer.count();
        let earlier = writes.iter().rev().skip(1).copied().map(Some);
        let initial = (!writes.is_empty()).then_some(None);
        for from in earlier.chain(initial).take(places) {
            if turn.needs_lock && self.is_taken_by_other(name.thread, from) {
                continue;
            }
            let needs = (name, turn.needs);
            if self.one_order && !self.graph.can_go_on(events, needs, (location, from)) {
                continue;
            }
            let mut base = self.checker.copy(&self.graph);
            self.graph.add(entry(name, location, from));
            self.graph.half = Some(name);
            let consistent = self.graph.is_consistent(&mut self.checker);
            self.graph.half = None;
            if consistent {
                let read = self.graph.entries.last_mut();
                let read = read.expect("the read was added");
                read.update = true;
                read.takes = turn.takes;
                let read = *read;
                self.write(read, from);
            }
            std::mem::swap(&mut self.graph, &mut base);
            self.checker.free(base);
        }
        let from = writes.last().copied();
        let mut read = entry(name, location, from);
        read.update = turn.order.is_some();
        read.order = turn.order.unwrap_or(Ordering::Relaxed);
        read.takes = turn.takes;
        self.graph.add(read);
        match turn.order {
            Some(_) => self.write(read, from),
            None => self.may_wait = true,
        }
    }

    /// True if another thread has the lock right after this operation, so that what needs the lock waits there.
    fn is_taken_by_other(&self, thread: u16, after: Option<At>) -> bool {
        let before = after.map(|after| self.graph.entry(after));
        // In an order of all objects it may be another lock.
        !self.one_order && before.is_some_and(|it| it.takes && it.name.thread != thread)
    }

    /// The operation with which the thread waits according to the graph.
    pub(super) fn waiting(&self, thread: u16) -> Option<At> {
        if !self.may_wait {
            return None;
        }
        let is = |entry: &Entry| entry.name.thread == thread && self.graph.waits_with(entry);
        let found = self.graph.entries.iter().position(is);
        found.map(|at| at as At)
    }

    /// True if a thread waits in a state that has changed since: it waits in the newest one in another graph.
    pub(super) fn waits_in_the_past(&self) -> bool {
        let mut entries = self.graph.entries.iter();
        self.may_wait
            && entries.any(|entry| {
                let waits = entry.object && entry.part == Part::Read && !entry.update;
                let later = self.graph.place_after(entry.location, entry.from);
                waits && later < self.graph.order(entry.location).len()
            })
    }

    /// This thread waits, and no other can go on.
    pub(super) fn add_waiting(&mut self, name: Name, pending: &Pending, events: &[Event]) {
        if is_on_object(pending.action) && self.waiting(name.thread).is_none() {
            let location = self.location_of(pending.action, pending.object);
            let turn = Turn::of(pending.action, pending.object, pending.second).waits();
            self.add_on_object(name, location, turn, events);
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
            let location = self.location_of_blocked(blocked);
            self.relocate(at, location);
        }
    }

    /// As [`add_waiting`](Self::add_waiting) for a thread at the end of an execution.
    pub(super) fn add_blocked(&mut self, name: Name, blocked: &BlockedThread, events: &[Event]) {
        if waits_for_object(&blocked.waits_for) && self.waiting(name.thread).is_none() {
            let location = self.location_of_blocked(blocked);
            let needs_lock = matches!(blocked.waits_for, WaitsFor::Lock(_));
            let lock = if needs_lock {
                blocked.object
            } else {
                ObjectId::NONE
            };
            let turn = Turn {
                order: None,
                takes: false,
                needs_lock,
                needs: Needs {
                    lock,
                    notified_by: ObjectId::NONE,
                },
            };
            self.add_on_object(name, location, turn, events);
        }
    }
}
