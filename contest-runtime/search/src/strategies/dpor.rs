//! Source-DPOR with sleep sets (Abdulla, Aronis, Jonsson, Sagonas: Optimal dynamic partial order reduction, POPL 2014,
//! Algorithm 1): at least one execution of every Mazurkiewicz trace.
//!
//! Deviations:
//! - Races are reversed once, when the later operation is executed for the first time; what is still pending at the end
//!   of an execution races too, so that deadlocks are found.
//! - A race is not reversed if one of the threads that could go first is asleep there: what follows was explored from
//!   where it fell asleep (the check of Optimal-DPOR in the same paper).
//! - Values (which waiter is notified) are explored exhaustively at their event.
//! - A step of last resort (no thread is enabled; a timeout fires or a spinning thread iterates once more) comes after
//!   everything before it and before everything later: it never races. Where there are several, all are tried.
//! - A spinning thread counts as blocked until what it read changes; how often that happened is counted.
//! - Once everything was explored, and executions showed that timed waits could have ended early or that threads held
//!   back could have left their loops, all is explored again with more leeway, as far as [`Levels`] go.
//!
//! Where the guarantee does not hold, [`Strategy::gaps`] says why. The strategy is never exhausted then, unless no
//! other strategy would explore what is missing.

use super::causality::Causality;
use super::dependence::Operation;
use super::levels::Levels;
use contest_data::decision::{Choice, DecisionPoint, MemoryPoint, Strategy, ThreadSet, Traces};
use contest_data::gap::{Cut, Gap, Gaps};
use contest_data::limits::Leeway;
use contest_data::trace::{
    Action, AwaitEnd, Blocking, Ending, Event, ExecutionRecord, LeftOut, Pending, ThreadIndex,
};

#[derive(Clone, Debug, Default)]
struct Node {
    enabled: ThreadSet,
    /// The backtrack set: threads to be tried at this point.
    back: ThreadSet,
    /// The sleep set: threads whose next step leads to an explored trace.
    sleep: ThreadSet,
    /// Threads tried before the present one.
    done: ThreadSet,
    chosen: ThreadIndex,
    /// The chosen thread's operation may end without what it waits for, as a choice.
    interruptible: bool,
    last_resort: bool,
    /// Values chosen in this step: the value, and the number of alternatives.
    values: Vec<(u16, u16)>,
    /// What the threads asleep and the threads tried execute here.
    tried: Vec<Operation>,
}

/// Exhaustive exploration without repeated traces.
#[derive(Debug, Default)]
pub struct Dpor {
    /// The path to the present event. Nodes beyond `depth` are spare, for their buffers.
    nodes: Vec<Node>,
    depth: usize,
    causality: Causality,
    /// Events before this one have had their races reversed in earlier executions.
    fresh_from: usize,
    /// Value choices made in the present step.
    n_values: usize,
    races: Vec<(usize, ThreadSet)>,
    /// The threads that were enabled at the last decision.
    could_run: ThreadSet,
    /// A spinning thread iterated once more, because no other thread was enabled.
    spun: bool,
    /// A spinning thread was held back while others were enabled.
    held_back: bool,
    started: bool,
    exhausted: bool,
    counts: Traces,
    gaps: Gaps,
    /// What is allowed beyond the ordinary.
    levels: Levels,
}

/// Threads that fit into the masks of all events.
const TRACKED_THREADS: u16 = 56;

impl Dpor {
    /// A fresh exploration.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn note_gap(&mut self, gap: Gap) {
        self.gaps.add(gap);
    }

    /// Adds a node at the end of the path.
    fn push(
        &mut self,
        enabled: ThreadSet,
        sleep: ThreadSet,
        chosen: ThreadIndex,
        last_resort: bool,
    ) -> &mut Node {
        if self.nodes.len() == self.depth {
            self.nodes.push(Node::default());
        }
        let node = &mut self.nodes[self.depth];
        self.depth += 1;
        node.enabled = enabled;
        node.back = if last_resort {
            enabled
        } else {
            ThreadSet::only(chosen)
        };
        node.sleep = sleep;
        node.done = ThreadSet::EMPTY;
        node.chosen = chosen;
        node.interruptible = false;
        node.last_resort = last_resort;
        node.values.clear();
        node
    }

    /// Adds the events executed since the last decision and reverses their races.
    fn catch_up(&mut self, events: &[Event]) {
        while self.causality.len() < events.len() {
            let index = self.causality.len();
            let event = &events[index];
            if index == self.depth {
                // Executed without a decision: a thread that unwinds.
                if !self.could_run.without(event.thread).is_empty() {
                    self.note_gap(Gap::Unwinding);
                }
                let only = ThreadSet::only(event.thread);
                let node = self.push(only, ThreadSet::EMPTY, event.thread, false);
                node.tried.clear();
            }
            if event.action == Action::Assembly {
                self.note_gap(Gap::Assembly);
            }
            let node = &self.nodes[index];
            let last_resort = node.last_resort;
            self.spun |= last_resort && !waits_out(event);
            let operation = Operation::executed(event, node.interruptible && !last_resort);
            if index >= self.fresh_from && !last_resort {
                self.reverse_races(&operation);
            }
            self.causality.push(operation, last_resort);
        }
    }

    fn reverse_races(&mut self, next: &Operation) {
        let mut races = std::mem::take(&mut self.races);
        let nodes = &self.nodes;
        let enabled = |event: usize| nodes[event].enabled;
        self.causality.races(next, enabled, &mut races);
        for &(event, initials) in &races {
            let node = &mut self.nodes[event];
            if !(initials & (node.back | node.sleep)).is_empty() {
                continue;
            }
            let possible = initials & node.enabled;
            node.back |= if possible.contains(next.thread) {
                ThreadSet::only(next.thread)
            } else if let Some(first) = possible.first() {
                ThreadSet::only(first)
            } else {
                node.enabled
            };
        }
        self.races = races;
    }

    /// Reverses the races of the operations pending at the end, except those of the threads in `but`.
    fn reverse_pending(
        &mut self,
        pending: &[Option<Pending>],
        interruptible: ThreadSet,
        but: ThreadSet,
    ) {
        for (index, pending) in pending.iter().enumerate() {
            let thread = ThreadIndex(index as u16);
            if let Some(pending) = pending
                && !but.contains(thread)
            {
                let next = Operation::pending(thread, pending, interruptible.contains(thread));
                self.reverse_races(&next);
            }
        }
    }

    /// About how much of the tree of executions is explored, from 0 to 1: each known branch at a point counts the same.
    /// Branches that are not known yet make it less, those that fall asleep make it more.
    fn share_explored(&self) -> f64 {
        let mut share = 0.0;
        let mut weight = 1.0;
        for node in &self.nodes[..self.depth] {
            let chosen = ThreadSet::only(node.chosen);
            let branches = (node.back & node.enabled & !node.sleep | node.done | chosen).len();
            weight /= f64::from(branches);
            share += weight * f64::from(node.done.len());
            for &(taken, of) in &node.values {
                weight /= f64::from(of.max(1));
                share += weight * f64::from(taken);
            }
        }
        share
    }

    /// Fills in what is asleep at the node `index`, which is new: what was asleep or tried at the node before and does
    /// not depend on the event executed there. Returns the threads.
    fn fall_asleep(&mut self, index: usize) -> ThreadSet {
        if self.nodes.len() == index {
            self.nodes.push(Node::default());
        }
        let (before, after) = self.nodes.split_at_mut(index);
        let tried = &mut after[0].tried;
        tried.clear();
        let Some(before) = before.last() else {
            return ThreadSet::EMPTY;
        };
        if before.last_resort {
            return ThreadSet::EMPTY;
        }
        let executed = self.causality.operation(index - 1);
        let asleep = before.tried.iter().filter(|operation| {
            operation.thread != executed.thread && !operation.depends_on(executed)
        });
        tried.extend(asleep);
        tried.iter().map(|operation| operation.thread).collect()
    }

    /// After everything was explored: explores it again with more leeway, if something was left out for lack of it.
    fn allow_more(&mut self) -> bool {
        if !self.gaps.is_empty() || !self.levels.go_on() {
            self.note_left_out();
            return false;
        }
        // What was explored comes again.
        self.counts = Traces::default();
        self.exhausted = false;
        self.started = false;
        self.fresh_from = 0;
        self.depth = 0;
        true
    }

    fn note_left_out(&mut self) {
        for gap in self.levels.gaps(self.exhausted) {
            self.note_gap(gap);
        }
        // Without leeway it was.
        self.exhausted = true;
    }

    /// Prepares the next execution with the present leeway; `false` if there is none left.
    fn begin_another(&mut self) -> bool {
        self.n_values = 0;
        self.spun = false;
        self.held_back = false;
        self.could_run = ThreadSet::MAIN;
        if !self.started {
            self.started = true;
            self.causality.clear();
            return true;
        }
        while self.depth > 0 {
            let index = self.depth - 1;
            let node = &mut self.nodes[index];
            while let Some((taken, of)) = node.values.pop() {
                if taken + 1 < of {
                    node.values.push((taken + 1, of));
                    self.fresh_from = index;
                    self.causality.clear();
                    return true;
                }
            }
            node.done.insert(node.chosen);
            node.tried.push(*self.causality.operation(index));
            let left = node.back & node.enabled & !node.sleep & !node.done;
            if let Some(first) = left.first() {
                node.chosen = first;
                self.fresh_from = index;
                self.causality.clear();
                return true;
            }
            self.depth -= 1;
        }
        self.causality.clear();
        self.exhausted = true;
        false
    }
}

impl Strategy for Dpor {
    fn begin(&mut self) -> bool {
        if self.levels.take_too_long() {
            self.note_left_out();
            return false;
        }
        if !self.begin_another() {
            return self.allow_more() && self.begin_another();
        }
        true
    }

    fn leeway(&self) -> Leeway {
        self.levels.leeway()
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        self.catch_up(point.events);
        self.n_values = 0;
        self.could_run = point.enabled;
        self.held_back |= !point.spinning.is_empty() && !point.last_resort;
        let index = point.events.len();
        if index < self.depth {
            let node = &mut self.nodes[index];
            let chosen = node.chosen;
            if !point.enabled.contains(chosen) {
                self.note_gap(Gap::Diverged);
                return Choice::Abandon;
            }
            node.interruptible = point.interruptible.contains(chosen);
            return Choice::Run(chosen);
        }
        if point.last_resort {
            // Without a step of last resort the execution would end here.
            self.reverse_pending(point.pending, point.interruptible, ThreadSet::EMPTY);
        }
        let sleep = self.fall_asleep(index);
        let awake = point.enabled & !sleep;
        if awake.is_empty() {
            return Choice::Abandon;
        }
        let others = awake.without(point.current);
        let chosen = if point.yielded && !others.is_empty() {
            others.lowest()
        } else if awake.contains(point.current) {
            point.current
        } else {
            awake.lowest()
        };
        let node = self.push(point.enabled, sleep, chosen, point.last_resort);
        node.interruptible = point.interruptible.contains(chosen);
        Choice::Run(chosen)
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        let index = self.causality.len();
        if index >= self.depth {
            self.note_gap(Gap::Unwinding);
            return 0;
        }
        let node = &mut self.nodes[index];
        if self.n_values == node.values.len() {
            node.values.push((0, alternatives));
        }
        let (taken, of) = node.values[self.n_values];
        self.n_values += 1;
        if of != alternatives {
            self.note_gap(Gap::Diverged);
        }
        taken.min(alternatives - 1)
    }

    fn memory(&mut self, point: &MemoryPoint<'_>) -> Option<u16> {
        let alternatives = point.alternatives.len() as u16;
        Some(if alternatives > 1 {
            self.value(alternatives)
        } else {
            0
        })
    }

    fn seed(&mut self) -> u64 {
        self.note_gap(Gap::Randomness(1));
        0
    }

    fn end(&mut self, record: &ExecutionRecord) {
        self.levels.executed();
        self.catch_up(&record.events);
        if record.events.len() < self.fresh_from {
            self.note_gap(Gap::Diverged);
        }
        self.depth = self.depth.min(record.events.len());
        if record.ending == Ending::Abandoned {
            self.counts.redundant += 1;
            // Enabled threads are asleep: what they would do was explored. Disabled threads may have lost a race.
            self.reverse_pending(&record.pending, record.interruptible, self.could_run);
            return;
        }
        self.counts.traces += 1;
        self.counts.held_back += u64::from(self.held_back);
        // Without early ends, time passes for waits only when no thread can run. By looking it passes in the order of
        // the looks.
        let readers = record.clock_readers;
        let moved = record.clock_moved || !record.ended_early.is_empty();
        if moved && !readers.is_empty() && (readers | record.ended_early).has_several() {
            self.note_gap(Gap::Clock);
        }
        self.levels.note(record.left_out);
        if record.woken_as_last_resort {
            self.note_gap(Gap::SpuriousWake);
        }
        if record.threads > TRACKED_THREADS {
            self.note_gap(Gap::ManyThreads);
        }
        match &record.ending {
            Ending::Deadlock(_) => {}
            Ending::StepLimit(_)
            | Ending::MemoryLimit(_)
            | Ending::Livelock(_)
            | Ending::Unsupported(_) => self.note_gap(Gap::Cut(Cut::Limit)),
            _ => {
                if self.spun {
                    // It gave up after some iterations; executions in which it gives up earlier were not explored.
                    self.levels.note(LeftOut::LOOPS);
                }
                let last = record.events.last();
                let others = last.map_or(self.could_run, |it| self.could_run.without(it.thread));
                if !others.is_empty() {
                    self.note_gap(Gap::LeftBehind);
                }
            }
        }
        self.reverse_pending(&record.pending, record.interruptible, ThreadSet::EMPTY);
    }

    fn exhausted(&self) -> bool {
        self.exhausted && self.gaps.iter().all(Gap::is_of_engine)
    }

    fn gaps(&self) -> &Gaps {
        &self.gaps
    }

    fn traces(&self) -> Option<Traces> {
        Some(self.counts)
    }

    fn explored(&self) -> Option<f64> {
        Some(if self.exhausted {
            1.0
        } else {
            self.share_explored()
        })
    }
}

/// True if the event is the end of a wait because time was up, or because nothing else could be done.
fn waits_out(event: &Event) -> bool {
    let probed = event.action == Action::Await && event.read == AwaitEnd::Probed.bits();
    probed
        || matches!(
            event.action,
            Action::WaitOver(_)
                | Action::Wake(true)
                | Action::Park(true)
                | Action::AcquireTimeout(_)
                | Action::Sleep
                | Action::Receive(Blocking::Waits, false)
        )
}
