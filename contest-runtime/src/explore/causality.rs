//! Happens-before of the Mazurkiewicz trace: program order, creation, and the order of dependent operations, as vector clocks.

use super::dependence::{Class, Operation};
use crate::trace::{Action, ObjectId, ThreadIndex};

/// Clocks of the last accesses of one object, and the list of its events.
#[derive(Clone, Debug, Default)]
struct ObjectHistory {
    write: Vec<u32>,
    share: Vec<u32>,
    probe: Vec<u32>,
    events: Vec<u32>,
}

/// The trace of one execution as it grows.
#[derive(Debug, Default)]
pub(crate) struct Causality {
    operations: Vec<Operation>,
    /// Number of each event in its thread, counting from 1.
    numbers: Vec<u32>,
    /// Clock of each event, `width` numbers an event.
    clocks: Vec<u32>,
    width: usize,
    /// Clock of each thread: that of its last event, or of its creation.
    threads: Vec<Vec<u32>>,
    /// Clock that a thread's wake-up joins: that of the notification.
    notified: Vec<Vec<u32>>,
    objects: Vec<ObjectHistory>,
    n_objects: usize,
}

fn join(into: &mut [u32], from: &[u32]) {
    for (a, b) in into.iter_mut().zip(from) {
        *a = (*a).max(*b);
    }
}

impl Causality {
    pub(crate) fn clear(&mut self) {
        self.operations.clear();
        self.numbers.clear();
        self.clocks.clear();
        self.width = self.width.max(4);
        for clock in self.threads.iter_mut().chain(&mut self.notified) {
            clock.fill(0);
        }
        for history in &mut self.objects[..self.n_objects] {
            history.write.fill(0);
            history.share.fill(0);
            history.probe.fill(0);
            history.events.clear();
        }
        self.n_objects = 0;
    }

    pub(crate) fn len(&self) -> usize {
        self.operations.len()
    }

    pub(crate) fn operation(&self, event: usize) -> &Operation {
        &self.operations[event]
    }

    fn clock(&self, event: usize) -> &[u32] {
        &self.clocks[event * self.width..(event + 1) * self.width]
    }

    /// True if event `a` happens before event `b` or is it.
    pub(crate) fn ordered(&self, a: usize, b: usize) -> bool {
        self.knows(self.clock(b), a)
    }

    fn knows(&self, clock: &[u32], event: usize) -> bool {
        clock[self.operations[event].thread.index()] >= self.numbers[event]
    }

    /// True if the thread's events so far come after event `a`.
    pub(crate) fn in_past_of(&self, a: usize, thread: ThreadIndex) -> bool {
        self.threads
            .get(thread.index())
            .is_some_and(|clock| self.knows(clock, a))
    }

    fn fit(&mut self, thread: ThreadIndex, objects: [ObjectId; 2]) {
        let needed = thread.index() + 1;
        if needed > self.width {
            let width = needed.next_power_of_two();
            let old = self.width;
            let mut clocks = vec![0; self.operations.len() * width];
            for event in 0..self.operations.len() {
                clocks[event * width..event * width + old]
                    .copy_from_slice(&self.clocks[event * old..(event + 1) * old]);
            }
            self.clocks = clocks;
            self.width = width;
        }
        let width = self.width;
        for list in [&mut self.threads, &mut self.notified] {
            while list.len() < needed {
                list.push(vec![0; width]);
            }
            for clock in list.iter_mut().filter(|clock| clock.len() < width) {
                clock.resize(width, 0);
            }
        }
        for object in objects
            .into_iter()
            .filter(|object| *object != ObjectId::NONE)
        {
            let index = object.0 as usize;
            if self.objects.len() <= index {
                self.objects.resize_with(index + 1, ObjectHistory::default);
            }
            self.n_objects = self.n_objects.max(index + 1);
        }
        for history in &mut self.objects[..self.n_objects] {
            for clock in [&mut history.write, &mut history.share, &mut history.probe] {
                if clock.len() < width {
                    clock.resize(width, 0);
                }
            }
        }
    }

    /// Adds the next event.
    pub(crate) fn push(&mut self, operation: Operation) {
        let thread = operation.thread;
        let objects = operation.accesses.map(|(object, _)| object);
        let created = match operation.action {
            Action::Spawn(new) => new,
            _ => thread,
        };
        self.fit(ThreadIndex(thread.0.max(created.0)), objects);
        let mut clock = std::mem::take(&mut self.threads[thread.index()]);
        clock[thread.index()] += 1;
        let number = clock[thread.index()];
        if let Action::Wake(false) = operation.action {
            join(&mut clock, &self.notified[thread.index()]);
        }
        for (object, class) in operation.accesses {
            if object == ObjectId::NONE {
                continue;
            }
            let history = &self.objects[object.0 as usize];
            join(&mut clock, &history.write);
            if class != Class::Share {
                join(&mut clock, &history.share);
            }
            if class != Class::Probe {
                join(&mut clock, &history.probe);
            }
        }
        let event = self.operations.len() as u32;
        for (object, class) in operation.accesses {
            if object == ObjectId::NONE {
                continue;
            }
            let history = &mut self.objects[object.0 as usize];
            match class {
                Class::Write => history.write.copy_from_slice(&clock),
                Class::Share => join(&mut history.share, &clock),
                Class::Probe => join(&mut history.probe, &clock),
            }
            history.events.push(event);
        }
        match operation.action {
            Action::Spawn(new) => self.threads[new.index()].copy_from_slice(&clock),
            Action::Notify(_) | Action::FutexWake => {
                for woken in 0..self.notified.len().min(64) {
                    if operation.wrote & (1 << woken) != 0 {
                        self.notified[woken].copy_from_slice(&clock);
                    }
                }
            }
            _ => {}
        }
        self.clocks.extend_from_slice(&clock);
        self.numbers.push(number);
        self.operations.push(operation);
        self.threads[thread.index()] = clock;
    }

    /// Events that race with `next` (ALGORITHMS D.7, revRaces): dependent, reversible, of another thread, not in the past of
    /// `next`'s thread, and with no other dependent event between. `next` must not have been pushed.
    pub(crate) fn races(&self, next: &Operation, found: &mut Vec<usize>) {
        found.clear();
        for (object, class) in next.accesses {
            if object == ObjectId::NONE || object.0 as usize >= self.n_objects {
                continue;
            }
            for &event in self.objects[object.0 as usize].events.iter().rev() {
                let event = event as usize;
                let operation = &self.operations[event];
                let its_class = operation.class_on(object).unwrap_or(Class::Share);
                let past = operation.thread == next.thread || self.in_past_of(event, next.thread);
                let conflicting = its_class.conflicts(class);
                if !past && conflicting {
                    if super::dependence::enables(operation, next) {
                        // What it enabled competes with those that came before it.
                        continue;
                    }
                    if !found.contains(&event) {
                        found.push(event);
                    }
                }
                if its_class == Class::Write {
                    // Everything earlier on this object happens before this event.
                    break;
                }
            }
        }
        let all = found.clone();
        found.retain(|&event| {
            !all.iter()
                .any(|&other| other != event && self.ordered(event, other))
        });
    }

    /// Threads that can go first when the race between `event` and `next` is reversed: those of the initial events of the sequence of
    /// later events that do not happen after `event`, followed by `next`.
    pub(crate) fn initials(&self, event: usize, next: &Operation) -> u128 {
        let mut first: [Option<usize>; 128] = [None; 128];
        let mut threads = Vec::with_capacity(8);
        for later in event + 1..self.operations.len() {
            let thread = self.operations[later].thread.index();
            if first[thread].is_none() && !self.ordered(event, later) {
                first[thread] = Some(later);
                threads.push(thread);
            }
        }
        let mut set = 0;
        for &thread in &threads {
            let head = first[thread].expect("listed threads have a first event");
            let free = threads
                .iter()
                .filter(|&&other| other != thread)
                .all(|&other| !self.ordered(first[other].expect("listed"), head));
            if free {
                set |= 1 << thread;
            }
        }
        let next_thread = next.thread.index();
        if first[next_thread].is_none() {
            let own = self.threads.get(next_thread);
            let free = threads.iter().all(|&other| {
                let head = first[other].expect("listed");
                !own.is_some_and(|clock| self.knows(clock, head))
                    && !self.sequence_depends(head, event, next)
            });
            if free {
                set |= 1 << next_thread;
            }
        }
        set
    }

    /// True if `next` depends on an event of the thread of `head`, from `head` on, that does not happen after `event`, directly or through
    /// others.
    fn sequence_depends(&self, head: usize, event: usize, next: &Operation) -> bool {
        (head..self.operations.len()).any(|later| {
            !self.ordered(event, later)
                && self.ordered(head, later)
                && self.operations[later].depends_on(next)
        })
    }
}
