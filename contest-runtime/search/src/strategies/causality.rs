//! Happens-before of the Mazurkiewicz trace: program order, creation, and the order of dependent operations, as vector
//! clocks.

use super::dependence::{Class, Operation, enables};
use contest_data::decision::ThreadSet;
use contest_data::trace::{Action, ObjectId, ThreadIndex};

/// Clocks of the last accesses of one object, and the list of its events. Clocks may be shorter than there are threads:
/// the rest is 0.
#[derive(Clone, Debug, Default)]
struct ObjectHistory {
    write: Vec<u32>,
    share: Vec<u32>,
    probe: Vec<u32>,
    events: Vec<u32>,
}

/// The trace of one execution as it grows. Keeps its buffers from one execution to the next.
#[derive(Debug, Default)]
pub(super) struct Causality {
    operations: Vec<Operation>,
    /// Number of each event in its thread, counting from 1.
    numbers: Vec<u32>,
    /// Clock of each event, `width` numbers an event.
    clocks: Vec<u32>,
    width: usize,
    /// Clock of each thread: that of its last event, or of its creation.
    threads: Vec<Vec<u32>>,
    /// Clock of the event that last woke a thread: a notification or the like.
    called: Vec<Vec<u32>>,
    /// One more than the index of the last event of each thread.
    last: Vec<usize>,
    objects: Vec<ObjectHistory>,
    n_objects: usize,
    /// Clock of the event that is being added, or of the operation that is examined.
    scratch: Vec<u32>,
    candidates: Vec<usize>,
}

fn join(into: &mut Vec<u32>, from: &[u32]) {
    if into.len() < from.len() {
        into.resize(from.len(), 0);
    }
    for (a, b) in into.iter_mut().zip(from) {
        *a = (*a).max(*b);
    }
}

fn copy(into: &mut Vec<u32>, from: &[u32]) {
    into.clear();
    into.extend_from_slice(from);
}

/// Place of an object in the table; the budget is no object of the engine.
fn place(object: ObjectId) -> usize {
    object.0.wrapping_add(2) as usize
}

impl Causality {
    pub(super) fn clear(&mut self) {
        self.operations.clear();
        self.numbers.clear();
        self.clocks.clear();
        self.width = self.width.max(4);
        self.last.fill(0);
        for clock in self.threads.iter_mut().chain(&mut self.called) {
            clock.fill(0);
        }
        for history in &mut self.objects[..self.n_objects] {
            history.write.clear();
            history.share.clear();
            history.probe.clear();
            history.events.clear();
        }
        self.n_objects = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.operations.len()
    }

    pub(super) fn operation(&self, event: usize) -> &Operation {
        &self.operations[event]
    }

    fn clock(&self, event: usize) -> &[u32] {
        &self.clocks[event * self.width..(event + 1) * self.width]
    }

    /// True if event `a` happens before event `b` or is it.
    pub(super) fn ordered(&self, a: usize, b: usize) -> bool {
        self.knows(self.clock(b), a)
    }

    fn knows(&self, clock: &[u32], event: usize) -> bool {
        let thread = self.operations[event].thread.index();
        clock.get(thread).copied().unwrap_or(0) >= self.numbers[event]
    }

    fn fit(&mut self, thread: ThreadIndex) {
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
        if self.threads.len() < needed {
            self.threads.resize_with(needed, Vec::new);
            self.called.resize_with(needed, Vec::new);
            self.last.resize(needed, 0);
        }
    }

    /// Adds the next event. `last_resort`: no thread was enabled, so the event is ordered after everything before it
    /// and before everything after it.
    pub(super) fn push(&mut self, operation: Operation, last_resort: bool) {
        let thread = operation.thread;
        let created = match operation.action {
            Action::Spawn(new) => new,
            _ => thread,
        };
        self.fit(ThreadIndex(thread.0.max(created.0)));
        let mut clock = std::mem::take(&mut self.scratch);
        copy(&mut clock, &self.threads[thread.index()]);
        clock.resize(self.width, 0);
        clock[thread.index()] += 1;
        let number = clock[thread.index()];
        if last_resort {
            for other in &self.threads {
                join(&mut clock, other);
            }
        }
        if matches!(
            operation.action,
            Action::Wake(_) | Action::BarrierLeave(_) | Action::SendTaken(_)
        ) {
            join(&mut clock, &self.called[thread.index()]);
        }
        let event = self.operations.len() as u32;
        for (object, class) in operation.accesses {
            if object == ObjectId::NONE {
                continue;
            }
            let place = place(object);
            if self.objects.len() <= place {
                self.objects.resize_with(place + 1, ObjectHistory::default);
            }
            self.n_objects = self.n_objects.max(place + 1);
            let history = &self.objects[place];
            join(&mut clock, &history.write);
            if class != Class::Share {
                join(&mut clock, &history.share);
            }
            if class != Class::Probe {
                join(&mut clock, &history.probe);
            }
        }
        for (object, class) in operation.accesses {
            if object == ObjectId::NONE {
                continue;
            }
            let history = &mut self.objects[place(object)];
            match class {
                Class::Write => copy(&mut history.write, &clock),
                Class::Share => join(&mut history.share, &clock),
                Class::Probe => join(&mut history.probe, &clock),
            }
            history.events.push(event);
        }
        if let Action::Spawn(new) = operation.action {
            copy(&mut self.threads[new.index()], &clock);
        }
        let calls = operation.calls();
        if calls != 0 {
            for called in (0..self.called.len().min(64)).filter(|called| calls >> called & 1 == 1) {
                copy(&mut self.called[called], &clock);
            }
        }
        self.clocks.extend_from_slice(&clock[..self.width]);
        self.numbers.push(number);
        self.operations.push(operation);
        self.last[thread.index()] = event as usize + 1;
        copy(&mut self.threads[thread.index()], &clock);
        if last_resort {
            for other in &mut self.threads {
                join(other, &clock);
            }
        }
        self.scratch = clock;
    }

    /// The clock of what happens before `next` in every order.
    fn past_of(&mut self, next: &Operation) -> Vec<u32> {
        let mut past = std::mem::take(&mut self.scratch);
        past.clear();
        let thread = next.thread.index();
        if let Some(own) = self.threads.get(thread) {
            past.extend_from_slice(own);
        }
        if next.was_called()
            && let Some(called) = self.called.get(thread)
        {
            join(&mut past, called);
        }
        past
    }

    /// Events that race with `next`: dependent, reversible, of another thread, not in the past of `next`, and with no
    /// other dependent event between. With each the threads that can go first when the race is reversed. `next` must
    /// not have been pushed. `enabled` gives the threads that were enabled before an event.
    pub(super) fn races(
        &mut self,
        next: &Operation,
        enabled: impl Fn(usize) -> ThreadSet,
        found: &mut Vec<(usize, ThreadSet)>,
    ) {
        found.clear();
        let past = self.past_of(next);
        let moved = self.last.get(next.thread.index()).copied().unwrap_or(0);
        for (object, class) in next.accesses {
            let place = place(object);
            if object == ObjectId::NONE || place >= self.n_objects {
                continue;
            }
            for &event in self.objects[place].events.iter().rev() {
                let event = event as usize;
                let operation = &self.operations[event];
                let its_class = operation.class_on(object).unwrap_or(Class::Share);
                let before = operation.thread == next.thread || self.knows(&past, event);
                if !before && its_class.conflicts(class) && !enables(operation, next) {
                    let initials = self.initials(event, next, &past);
                    // If `next` itself would have to go first and was not enabled, the event enabled it. The race is
                    // with an earlier event.
                    let waited = moved <= event
                        && initials.contains(next.thread)
                        && !enabled(event).contains(next.thread);
                    if !waited {
                        if !found.iter().any(|(known, _)| *known == event) {
                            found.push((event, initials));
                        }
                        if its_class == Class::Write {
                            break;
                        }
                    }
                } else if its_class == Class::Write && before {
                    // Everything earlier on this object happens before this event.
                    break;
                }
            }
        }
        self.scratch = past;
        let mut all = std::mem::take(&mut self.candidates);
        all.clear();
        all.extend(found.iter().map(|(event, _)| *event));
        found.retain(|&(event, _)| {
            !all.iter()
                .any(|&other| other != event && self.ordered(event, other))
        });
        self.candidates = all;
    }

    /// Threads that can go first when the race between `event` and `next` is reversed: those of the initial events of
    /// the sequence of later events that do not happen after `event`, followed by `next`.
    fn initials(&self, event: usize, next: &Operation, past: &[u32]) -> ThreadSet {
        let mut first = [0_u32; 128];
        let mut threads = ThreadSet::EMPTY;
        for later in event + 1..self.operations.len() {
            let thread = self.operations[later].thread;
            if !threads.contains(thread) && !self.ordered(event, later) {
                first[thread.index()] = later as u32;
                threads.insert(thread);
            }
        }
        let mut set = ThreadSet::EMPTY;
        for thread in threads {
            let head = first[thread.index()] as usize;
            let free = threads
                .iter()
                .filter(|&other| other != thread)
                .all(|other| !self.ordered(first[other.index()] as usize, head));
            if free {
                set.insert(thread);
            }
        }
        if !threads.contains(next.thread) {
            let free = threads.iter().all(|other| {
                let head = first[other.index()] as usize;
                !self.knows(past, head) && !self.sequence_depends(head, event, next)
            });
            if free {
                set.insert(next.thread);
            }
        }
        set
    }

    /// True if `next` depends on an event of the thread of `head`, from `head` on, that does not happen after `event`,
    /// directly or through others.
    fn sequence_depends(&self, head: usize, event: usize, next: &Operation) -> bool {
        (head..self.operations.len()).any(|later| {
            !self.ordered(event, later)
                && self.ordered(head, later)
                && self.operations[later].depends_on(next)
        })
    }
}
