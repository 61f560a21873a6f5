//! What has been executed is taken into the graph.

use std::sync::atomic::Ordering;

use super::Graphs;
use super::graph::{At, Entry, Graph, Name, Part, Waits};
use super::operation::is_on_object;
use contest_data::decision::DecisionPoint;
use contest_data::gap::{Gap, WeakMemory};
use contest_data::trace::{Action, Event, ThreadIndex};

impl Graphs {
    /// Takes in what has been executed.
    pub(super) fn catch_up(&mut self, events: &[Event]) {
        for event in &events[self.seen..] {
            let thread = event.thread.index();
            if self.executed.len() <= thread {
                self.executed.resize(thread + 1, 0);
            }
            self.executed[thread] = event.index + 1;
            if !self.adds_nothing() {
                self.take_in(event, events);
            }
        }
        self.seen = events.len();
    }

    fn take_in(&mut self, event: &Event, events: &[Event]) {
        let name = Name {
            thread: event.thread.0,
            index: event.index,
        };
        if let Some(at) = self.chosen.take() {
            self.settle(at, name, event);
            return;
        }
        if let Some(next) = self.plan.pop() {
            if self.graph.entry(next).name != name {
                self.note_gap(Gap::Diverged);
                return;
            }
            self.note_thread(next, event);
            let location = self.location_of(event.action, event.object);
            self.relocate(next, location);
            self.check_located();
            if self.graph.half == Some(name) && !self.adds_nothing() {
                self.complete_object(next, event);
            }
            return;
        }
        if is_on_object(event.action) {
            self.extend_object(name, event, events);
            return;
        }
        let of = |list: &[(u16, At)], thread: u16| {
            let mut list = list.iter();
            let found = list.find(|(other, _)| *other == thread);
            found.map_or(Waits::Nothing, |(_, at)| Waits::For(*at))
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
            _ => self.note_gap(Gap::WeakMemory(WeakMemory::OtherOperations)),
        }
        if self.graph.entries.len() == Graph::MOST {
            self.note_gap(Gap::WeakMemory(WeakMemory::TooLarge));
            return;
        }
        let at = self.graph.add(Entry {
            name,
            part,
            update: false,
            exchange: false,
            object: false,
            takes: false,
            location: event.object.0,
            order,
            from: None,
            waits,
        });
        self.note_thread(at, event);
    }

    /// Takes note of threads that begin and end with this entry.
    fn note_thread(&mut self, at: At, event: &Event) {
        match event.action {
            Action::Spawn(new) => {
                let mut others = self.created.iter();
                let by = event.thread.0;
                if others.any(|(_, other)| self.graph.entry(*other).name.thread != by) {
                    self.note_gap(Gap::WeakMemory(WeakMemory::SeveralCreators));
                }
                self.created.push((new.0, at));
            }
            Action::End => self.ended.push((event.thread.0, at)),
            _ => {}
        }
    }

    /// The operation, whose place was chosen, turned out to be this.
    fn settle(&mut self, at: At, name: Name, event: &Event) {
        self.relocate(at, event.object.0);
        let entry = self.graph.entry(at);
        let updates = matches!(event.action, Action::Rmw(..));
        if entry.name != name || entry.part == Part::Read && entry.update != updates {
            self.note_gap(Gap::Diverged);
        }
    }

    /// Operations that are not executed again, because they wait, are where the execution says.
    pub(super) fn locate_waiting(&mut self, point: &DecisionPoint<'_>) {
        if !self.may_wait {
            return;
        }
        for (thread, pending) in point.pending.iter().enumerate() {
            let Some(pending) = pending else { continue };
            let Some(at) = self.waiting(thread as u16) else {
                continue;
            };
            if self.graph.entry(at).name.index == self.next_index(ThreadIndex(thread as u16)) {
                let location = self.location_of(pending.action, pending.object);
                self.relocate(at, location);
            }
        }
    }

    /// All of the graph has been executed, but for its half: a gap if that shows other objects than the graph has.
    pub(super) fn check_located(&mut self) {
        if self.plan.is_empty() && self.relocated && !self.graph.is_located() {
            self.note_gap(Gap::WeakMemory(WeakMemory::ReusedMemory));
        }
    }

    /// The object of an entry has this number now.
    pub(super) fn relocate(&mut self, at: At, location: u32) {
        self.relocated |= self.graph.relocate(at, location);
    }
}
