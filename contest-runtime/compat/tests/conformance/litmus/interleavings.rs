//! Every interleaving of a litmus program, by simulation: a second opinion that shares nothing with the engine.

use std::collections::BTreeSet;

use super::program::{LOCATIONS, Litmus, Outcome, REGISTERS, Step};

/// A write: thread and step; `None` for the initial value.
type Write = Option<(usize, usize)>;

/// For each location its writes in order, and for each read the write it reads from.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Graph {
    order: [Vec<(usize, usize)>; LOCATIONS],
    reads: BTreeSet<((usize, usize), Write)>,
}

#[derive(Default)]
pub(super) struct Interleavings {
    pub(super) outcomes: BTreeSet<Outcome>,
    pub(super) graphs: BTreeSet<Graph>,
    seen: BTreeSet<State>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    next: Vec<usize>,
    outcome: Outcome,
    graph: Graph,
}

impl Interleavings {
    pub(super) fn of(litmus: &Litmus) -> Self {
        let threads = litmus.threads.len();
        let mut all = Self::default();
        all.visit(
            litmus,
            State {
                next: vec![0; threads],
                outcome: Outcome {
                    registers: vec![[0; REGISTERS]; threads],
                    memory: [0; LOCATIONS],
                },
                graph: Graph::default(),
            },
        );
        all
    }

    fn visit(&mut self, litmus: &Litmus, state: State) {
        if !self.seen.insert(state.clone()) {
            return;
        }
        let mut over = true;
        for (thread, steps) in litmus.threads.iter().enumerate() {
            if let Some(step) = steps.get(state.next[thread]) {
                over = false;
                let mut after = state.clone();
                after.take(thread, *step);
                self.visit(litmus, after);
            }
        }
        if over {
            self.outcomes.insert(state.outcome);
            self.graphs.insert(state.graph);
        }
    }
}

impl State {
    fn take(&mut self, thread: usize, step: Step) {
        let index = self.next[thread];
        self.next[thread] += 1;
        let registers = self.outcome.registers[thread];
        match step {
            Step::Load(at, register) => {
                self.outcome.registers[thread][register] = self.read(thread, index, at);
            }
            Step::Store(at, value) => self.write(thread, index, at, value.of(&registers)),
            Step::Add(at, value) => {
                let before = self.read(thread, index, at);
                self.write(thread, index, at, before + value);
            }
            Step::Swap(at, value) => {
                self.read(thread, index, at);
                self.write(thread, index, at, value);
            }
            Step::Exchange(at, expected, new) => {
                if self.read(thread, index, at) == expected.of(&registers) {
                    self.write(thread, index, at, new);
                }
            }
            Step::SkipUnlessAbove(register, value, skipped) => {
                if registers[register] <= value {
                    self.next[thread] += skipped;
                }
            }
            Step::Fence => {}
        }
    }

    fn read(&mut self, thread: usize, index: usize, at: usize) -> u64 {
        let from = self.graph.order[at].last().copied();
        self.graph.reads.insert(((thread, index), from));
        self.outcome.memory[at]
    }

    fn write(&mut self, thread: usize, index: usize, at: usize, value: u64) {
        self.graph.order[at].push((thread, index));
        self.outcome.memory[at] = value;
    }
}
