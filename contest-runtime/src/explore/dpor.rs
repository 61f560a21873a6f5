//! Source-DPOR with sleep sets (Abdulla, Aronis, Jonsson, Sagonas: Optimal dynamic partial order reduction, POPL 2014, Algorithm 1;
//! ALGORITHMS D.7): at least one execution of every Mazurkiewicz trace.
//!
//! Deviations: blocking operations contribute their pending operation at the end of an execution, so that deadlocks are found; values
//! (which waiter is notified) are explored exhaustively at their event; where a thread that must go first cannot run at that point
//! (a timeout of last resort, a spinning thread), all threads that can are tried.

use super::causality::Causality;
use super::dependence::Operation;
use crate::execution::{Choice, DecisionPoint, Strategy, ThreadSet, Traces};
use crate::trace::{Ending, ExecutionRecord, ThreadIndex};

#[derive(Clone, Debug)]
struct Node {
    enabled: ThreadSet,
    /// Threads to be tried at this point.
    back: ThreadSet,
    /// Threads whose next step leads to what was explored elsewhere.
    sleep: ThreadSet,
    /// Threads tried before the present one.
    done: ThreadSet,
    chosen: ThreadIndex,
    /// Values chosen in this step: taken, of how many.
    values: Vec<(u16, u16)>,
}

/// Exhaustive exploration without repeated traces.
#[derive(Debug, Default)]
pub struct Dpor {
    nodes: Vec<Node>,
    causality: Causality,
    /// Events before this one have had their races reversed in earlier executions.
    fresh_from: usize,
    /// Value choices made in the present step.
    n_values: usize,
    /// Threads asleep in the present step with their pending operations, to derive the sleep set of the next.
    asleep: Vec<Operation>,
    races: Vec<usize>,
    started: bool,
    exhausted: bool,
    traces: u64,
    redundant: u64,
    incomplete: bool,
}

impl Dpor {
    /// A fresh exploration.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Executions that ran to their end: one for each trace, or a few more with three or more threads.
    #[must_use]
    pub fn traces(&self) -> u64 {
        self.traces
    }

    /// Executions that were given up because all they could still do was explored before.
    #[must_use]
    pub fn redundant(&self) -> u64 {
        self.redundant
    }

    /// Takes in the events executed since the last decision and reverses their races.
    fn catch_up(&mut self, events: &[crate::trace::Event]) {
        while self.causality.len() < events.len() {
            let index = self.causality.len();
            let operation = Operation::executed(&events[index]);
            if index == self.nodes.len() {
                // Executed without a decision: a thread that unwinds.
                let bit = 1 << operation.thread.0;
                let node = Node {
                    enabled: bit,
                    back: bit,
                    sleep: 0,
                    done: 0,
                    chosen: operation.thread,
                    values: Vec::new(),
                };
                self.nodes.push(node);
            }
            if index >= self.fresh_from {
                self.reverse_races(&operation);
            }
            self.causality.push(operation);
        }
    }

    fn reverse_races(&mut self, next: &Operation) {
        let mut races = std::mem::take(&mut self.races);
        self.causality.races(next, &mut races);
        for &event in &races {
            let initials = self.causality.initials(event, next);
            let node = &mut self.nodes[event];
            if initials & node.back != 0 {
                continue;
            }
            let bit = 1 << next.thread.0;
            let wanted = if initials & bit != 0 {
                bit
            } else {
                initials & initials.wrapping_neg()
            };
            if wanted & node.enabled != 0 {
                node.back |= wanted;
            } else if initials & node.enabled != 0 {
                let possible = initials & node.enabled;
                node.back |= possible & possible.wrapping_neg();
            } else {
                node.back |= node.enabled;
            }
        }
        self.races = races;
    }

    /// Sleep set after the step from node `index` by the last event.
    fn sleep_after(&self, index: usize) -> ThreadSet {
        let executed = self.causality.operation(index);
        self.asleep
            .iter()
            .filter(|operation| {
                operation.thread != executed.thread && !operation.depends_on(executed)
            })
            .fold(0, |set, operation| set | 1 << operation.thread.0)
    }

    fn note_asleep(&mut self, index: usize, point: &DecisionPoint<'_>) {
        let node = &self.nodes[index];
        self.asleep.clear();
        let mut set = (node.sleep | node.done) & !(1 << node.chosen.0);
        while set != 0 {
            let thread = ThreadIndex(set.trailing_zeros() as u16);
            set &= set - 1;
            if let Some(Some(pending)) = point.pending.get(thread.index()) {
                self.asleep.push(Operation::pending(thread, pending));
            }
        }
    }
}

impl Strategy for Dpor {
    fn begin(&mut self) -> bool {
        self.causality.clear();
        self.asleep.clear();
        self.n_values = 0;
        if !self.started {
            self.started = true;
            return true;
        }
        while let Some(node) = self.nodes.last_mut() {
            while let Some((taken, of)) = node.values.pop() {
                if taken + 1 < of {
                    node.values.push((taken + 1, of));
                    self.fresh_from = self.nodes.len() - 1;
                    return true;
                }
            }
            node.done |= 1 << node.chosen.0;
            let left = node.back & node.enabled & !node.sleep & !node.done;
            if left != 0 {
                node.chosen = ThreadIndex(left.trailing_zeros() as u16);
                self.fresh_from = self.nodes.len() - 1;
                return true;
            }
            self.nodes.pop();
        }
        self.exhausted = true;
        false
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        self.catch_up(point.events);
        self.n_values = 0;
        let depth = point.events.len();
        if depth < self.nodes.len() {
            let chosen = self.nodes[depth].chosen;
            if point.enabled & (1 << chosen.0) == 0 {
                // The test is not deterministic; the campaign's own check reports that.
                self.incomplete = true;
                return Choice::Abandon;
            }
            if depth + 1 == self.nodes.len() {
                self.note_asleep(depth, point);
            }
            return Choice::Run(chosen);
        }
        let sleep = if depth == 0 {
            0
        } else {
            self.sleep_after(depth - 1)
        };
        let awake = point.enabled & !sleep;
        if awake == 0 {
            return Choice::Abandon;
        }
        let current = 1 << point.current.0;
        let chosen = if point.yielded && awake & !current != 0 {
            ThreadIndex((awake & !current).trailing_zeros() as u16)
        } else if awake & current != 0 {
            point.current
        } else {
            ThreadIndex(awake.trailing_zeros() as u16)
        };
        let node = Node {
            enabled: point.enabled,
            back: 1 << chosen.0,
            sleep,
            done: 0,
            chosen,
            values: Vec::new(),
        };
        self.nodes.push(node);
        self.note_asleep(depth, point);
        Choice::Run(chosen)
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        let Some(node) = self.nodes.get_mut(self.causality.len()) else {
            return 0;
        };
        if self.n_values == node.values.len() {
            node.values.push((0, alternatives));
        }
        let taken = node.values[self.n_values].0;
        self.n_values += 1;
        taken.min(alternatives - 1)
    }

    fn end(&mut self, record: &ExecutionRecord) {
        self.catch_up(&record.events);
        match &record.ending {
            Ending::Abandoned => self.redundant += 1,
            Ending::StepLimit(_) | Ending::MemoryLimit(_) | Ending::Unsupported(_) => {
                self.incomplete = true;
                self.traces += 1;
            }
            _ => {
                self.traces += 1;
                for (index, pending) in record.pending.iter().enumerate() {
                    if let Some(pending) = pending {
                        let next = Operation::pending(ThreadIndex(index as u16), pending);
                        self.reverse_races(&next);
                    }
                }
            }
        }
        self.nodes.truncate(record.events.len());
    }

    fn exhausted(&self) -> bool {
        self.exhausted && !self.incomplete
    }

    fn gap(&self) -> Option<&'static str> {
        self.incomplete.then_some("an execution was cut short")
    }

    fn traces(&self) -> Option<Traces> {
        Some(Traces {
            traces: self.traces,
            redundant: self.redundant,
        })
    }
}
