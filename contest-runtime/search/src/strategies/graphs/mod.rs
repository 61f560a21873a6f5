//! Every execution graph of a program under RC11, once.
//!
//! TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis: "Truly Stateless, Optimal Dynamic Partial Order Reduction",
//! POPL 2022), section 3. A graph grows by the next event of the first thread that can go on; a read takes each write
//! that it may take, a write each place in modification order, and then every earlier read that it may be revisited
//! by. Here a graph is visited by running the program: one execution follows a graph and goes on to a complete one,
//! and all other ways to go on are put on a stack.
//!
//! Deviations: a read-modify-write is one operation of an execution, but two events of a graph. Graphs that are put
//! on the stack are consistent, but for compare-exchanges whose success is not known then; where such a graph turns
//! out not to be, its execution is given up.
//!
//! Locks, channels and the like have an order of their operations each ([`objects`]); loops that wait are left out of a
//! graph but for their last round ([`awaits`]). Timeouts, futures, plain memory and inline assembly are a
//! [gap](Strategy::gaps).

mod awaits;
mod checker;
mod extend;
mod graph;
mod objects;
mod operation;
mod revisits;
mod taken_in;
mod taken_up;
mod turns;

use std::panic::Location;

use checker::Checker;
use contest_data::decision::{Choice, DecisionPoint, MemoryPoint, Strategy, ThreadSet, Traces};
use contest_data::gap::{Gap, Gaps, WeakMemory};
use contest_data::limits::MemoryModel;
use contest_data::trace::{BlockedThread, Ending, Event, ExecutionRecord, Pending, ThreadIndex};
use graph::{At, Graph, Name, Part};
use operation::{Round, Trial};

/// The strategy.
#[derive(Debug, Default)]
pub struct Graphs {
    work: Vec<Graph>,
    /// How many of them are from earlier executions.
    from_earlier: usize,
    graph: Graph,
    /// What is still to be replayed of it, as entries in reverse.
    plan: Vec<At>,
    /// Events that are in the graph.
    seen: usize,
    /// By thread: how many operations it has executed.
    executed: Vec<u32>,
    /// By thread: the event that created it, and its end.
    created: Vec<(u16, At)>,
    ended: Vec<(u16, At)>,
    /// The operation whose place was chosen last, which is in the graph already.
    chosen: Option<At>,
    /// The graph may have operations with which threads wait.
    may_wait: bool,
    /// An object has another number than in the last execution.
    relocated: bool,
    /// The thread that was chosen last, the number of its next operation and its place, and how many values it drew.
    running: (Name, Option<&'static Location<'static>>, u16),
    /// Rounds of loops that wait for a change.
    rounds: Vec<Round>,
    /// Where rounds begin of loops that end without one.
    bounded: Vec<&'static Location<'static>>,
    /// Which of the two a loop is, is tried.
    trial: Option<Trial>,
    /// All objects have one order, because there are operations on two.
    one_order: bool,
    /// Something was learnt of which the graphs so far know nothing.
    restart: bool,
    /// Threads wait in loops for ever, which only the engine can say.
    hangs: bool,
    /// Threads that were enabled at the last decision.
    could_run: ThreadSet,
    started: bool,
    exhausted: bool,
    gaps: Gaps,
    traces: Traces,
    checker: Checker,
}

impl Graphs {
    /// Nothing is explored yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn note_gap(&mut self, gap: Gap) {
        self.gaps.add(gap);
    }

    /// True if this execution ends without the graph: threads wait for ever, or a loop is tried, or after a gap, which
    /// may have left the graph inconsistent.
    fn adds_nothing(&self) -> bool {
        self.hangs || self.trial.is_some() || !self.gaps.is_empty()
    }

    /// Number of the thread's next operation, once all events are taken in.
    fn next_index(&self, thread: ThreadIndex) -> u32 {
        self.executed.get(thread.index()).copied().unwrap_or(0)
    }

    /// What to do where the graph says which thread is next: `None` if it does not.
    fn follow(&mut self, point: &DecisionPoint<'_>) -> Option<Choice> {
        while let Some(&next) = self.plan.last() {
            let entry = *self.graph.entry(next);
            let thread = ThreadIndex(entry.name.thread);
            if point.enabled.contains(thread) {
                return Some(Choice::Run(thread));
            }
            if !self.let_wait(next) {
                return Some(Choice::Abandon);
            }
            self.locate_waiting(point);
        }
        None
    }

    /// The next operation of the plan cannot be executed: false if the graph is impossible for that.
    fn let_wait(&mut self, next: At) -> bool {
        let entry = &mut self.graph.entries[usize::from(next)];
        if !entry.object {
            self.note_gap(Gap::Diverged);
            return false;
        }
        if self.graph.half != Some(entry.name) {
            // It waits there, so it cannot come before what was to read its write.
            return false;
        }
        // It waits in the state that it reads now.
        entry.update = false;
        self.may_wait = true;
        self.graph.half = None;
        self.plan.pop();
        true
    }

    /// The execution ended because these threads wait; false if that is not how the graph ends.
    fn deadlocked(&mut self, blocked: &[BlockedThread], events: &[Event]) -> bool {
        if let Some(&next) = self.plan.last()
            && !self.let_wait(next)
        {
            return false;
        }
        if !self.plan.is_empty() {
            return false;
        }
        for blocked in blocked {
            self.locate_blocked(blocked);
        }
        for blocked in blocked {
            let name = Name {
                thread: blocked.thread.0,
                index: self.next_index(blocked.thread),
            };
            self.add_blocked(name, blocked, events);
        }
        !self.waits_in_the_past()
    }

    fn note_choice(&mut self, choice: Choice, point: &DecisionPoint<'_>) {
        if let Choice::Run(thread) = choice {
            let name = Name {
                thread: thread.0,
                index: self.next_index(thread),
            };
            self.running = (name, point.places.place(thread), 0);
        }
    }

    /// A thread that goes on, or what to do if there is none.
    fn go_on(&mut self, point: &DecisionPoint<'_>) -> Choice {
        let (mut waits, mut rounds) = (false, Vec::new());
        for thread in (point.enabled | point.spinning).iter() {
            if self.waiting(thread.0).is_some() {
                waits = true;
            } else if let Some(first) = self.round_of(thread, point) {
                if self.began_stale(thread, first) {
                    self.traces.held_back += 1;
                    return Choice::Abandon;
                }
                rounds.push((thread, first));
            } else if point.enabled.contains(thread) {
                return Choice::Run(thread);
            }
        }
        for (thread, pending) in point.pending.iter().enumerate() {
            let index = ThreadIndex(thread as u16);
            if let Some(pending) = pending
                && !(point.enabled | point.spinning).contains(index)
            {
                let name = Name {
                    thread: index.0,
                    index: self.next_index(index),
                };
                self.add_waiting(name, pending, point.events);
            }
        }
        let stale = rounds
            .iter()
            .any(|&(thread, first)| self.is_stale(thread, first));
        if waits
            && rounds.is_empty()
            && let Some(thread) = self.take_up(point)
        {
            return Choice::Run(thread);
        }
        if waits || stale || self.waits_in_the_past() {
            // Another graph has the change for which they wait.
            self.traces.held_back += u64::from(!rounds.is_empty());
            return Choice::Abandon;
        }
        self.hangs = true;
        Choice::Run(point.enabled.lowest())
    }
}

impl Strategy for Graphs {
    fn begin(&mut self) -> bool {
        self.seen = 0;
        self.created.clear();
        self.ended.clear();
        self.executed.clear();
        self.chosen = None;
        self.may_wait = false;
        self.relocated = false;
        self.hangs = false;
        self.could_run = ThreadSet::MAIN;
        self.trial = None;
        self.plan.clear();
        if !self.started || std::mem::take(&mut self.restart) {
            self.started = true;
            self.traces = Traces::default();
            self.work.clear();
            self.from_earlier = 0;
            self.graph.clear();
            return true;
        }
        if !self.gaps.is_empty() {
            // What is left would prove nothing.
            return false;
        }
        let Some(graph) = self.work.pop() else {
            self.exhausted = true;
            return false;
        };
        self.from_earlier = self.work.len();
        let earlier = std::mem::replace(&mut self.graph, graph);
        self.checker.free(earlier);
        let graph = &self.graph;
        self.may_wait = graph.entries.iter().any(|entry| graph.waits_with(entry));
        if graph.sort(&mut self.checker, &mut self.plan) {
            self.plan.retain(|&at| {
                let entry = graph.entry(at);
                !(graph.waits_with(entry) || entry.update && entry.part == Part::Write)
            });
            self.plan.reverse();
        } else {
            self.plan.clear();
        }
        true
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        self.could_run = point.enabled;
        self.catch_up(point.events);
        if self.restart {
            return Choice::Abandon;
        }
        if let Some(choice) = self.try_on(point) {
            self.note_choice(choice, point);
            return choice;
        }
        if self.adds_nothing() {
            return Choice::Run(point.enabled.lowest());
        }
        if !point.interruptible.is_empty() || point.last_resort && !point.timed.is_empty() {
            self.note_gap(Gap::WeakMemory(WeakMemory::OtherOperations));
        }
        let resort = if point.last_resort {
            point.enabled
        } else {
            point.spinning
        };
        for thread in resort.iter() {
            if self.round_of(thread, point).is_some() {
                continue;
            }
            if self.learn_round(point.events, thread, point.places.place(thread)) {
                return Choice::Abandon;
            }
            self.note_gap(Gap::WeakMemory(WeakMemory::Spins));
        }
        self.locate_waiting(point);
        let choice = match self.follow(point) {
            Some(choice) => choice,
            None => self.go_on(point),
        };
        self.note_choice(choice, point);
        choice
    }

    fn knows_memory(&mut self, events: &[Event], thread: ThreadIndex) -> bool {
        self.catch_up(events);
        if self.restart || self.adds_nothing() {
            return false;
        }
        // Whether the last operation of a graph succeeds is found out now.
        self.plan.last().is_some_and(|&at| {
            let entry = self.graph.entry(at);
            entry.name.thread == thread.0 && self.graph.half != Some(entry.name)
        })
    }

    fn memory(&mut self, point: &MemoryPoint<'_>) -> Option<u16> {
        self.catch_up(point.events);
        if self.restart {
            return None;
        }
        if let Some(same) = self.try_to_read(point) {
            return Some(same);
        }
        if self.adds_nothing() {
            return Some(0);
        }
        if point.catches_up {
            if self.learn_round(point.events, point.thread, self.running.1) {
                return None;
            }
            self.note_gap(Gap::WeakMemory(WeakMemory::Unwinds));
        }
        let name = Name {
            thread: point.thread.0,
            index: self.next_index(point.thread),
        };
        match self.plan.pop() {
            Some(at) if self.graph.entry(at).name == name => {
                self.chosen = Some(at);
                self.replay(at, point)
            }
            Some(_) => {
                self.note_gap(Gap::Diverged);
                None
            }
            None => self.extend(name, point),
        }
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        if self.adds_nothing() {
            return 0;
        }
        let (name, _, drawn) = self.running;
        self.running.2 += 1;
        let mut values = self.graph.values.iter();
        let known = values.find(|(of, number, _)| (*of, *number) == (name, drawn));
        if let Some((.., value)) = known {
            return (*value).min(alternatives - 1);
        }
        for value in (0..alternatives).rev() {
            let mut values = self.graph.values.clone();
            values.push((name, drawn, value));
            if value == 0 {
                self.graph.values = values;
            } else {
                let mut graph = self.checker.copy(&self.graph);
                graph.values = values;
                self.work.push(graph);
            }
        }
        0
    }

    fn fails_spuriously(&mut self) -> bool {
        self.value(2) == 1
    }

    fn goes_on(
        &mut self,
        events: &[Event],
        thread: (ThreadIndex, Pending),
        place: &'static Location<'static>,
    ) -> bool {
        self.catch_up(events);
        self.passes(events, thread, place)
    }

    fn memory_model(&self) -> Option<MemoryModel> {
        Some(MemoryModel::Rc11)
    }

    fn seed(&mut self) -> u64 {
        self.note_gap(Gap::Randomness(1));
        0
    }

    fn end(&mut self, record: &ExecutionRecord) {
        if record.ending == Ending::Abandoned {
            self.traces.redundant += 1;
            return;
        }
        self.catch_up(&record.events);
        self.end_trial(!matches!(record.ending, Ending::StepLimit(_)));
        if record.writes.bounded {
            self.note_gap(Gap::WeakMemory(WeakMemory::TooLarge));
        }
        let last = record.events.last().map(|it| it.thread);
        let others = last.map_or(ThreadSet::EMPTY, |last| self.could_run.without(last));
        if record.ending == Ending::Finished && !others.is_empty() {
            self.note_gap(Gap::LeftBehind);
        }
        if record.writes.overlapping {
            self.note_gap(Gap::WeakMemory(WeakMemory::Overlapping));
        }
        match &record.ending {
            Ending::Deadlock(blocked)
                if !self.adds_nothing()
                    && !self.restart
                    && !self.deadlocked(blocked, &record.events) =>
            {
                self.traces.redundant += 1;
                return;
            }
            Ending::Deadlock(_) | Ending::Livelock(_) => {}
            _ if self.hangs => self.note_gap(Gap::WeakMemory(WeakMemory::Spins)),
            _ => {}
        }
        self.traces.traces += 1;
    }

    fn exhausted(&self) -> bool {
        self.exhausted
    }

    fn gaps(&self) -> &Gaps {
        &self.gaps
    }

    fn traces(&self) -> Option<Traces> {
        Some(self.traces)
    }
}
