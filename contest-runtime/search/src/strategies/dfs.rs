//! Depth-first search over all schedules with a bounded number of preemptions (Musuvathi, Qadeer: Iterative context
//! bounding, PLDI 2007).

use contest_data::decision::{Choice, DecisionPoint, MemoryPoint, Strategy, ThreadSet};
use contest_data::limits::MemoryModel;
use contest_data::trace::{ExecutionRecord, ThreadIndex};

/// Under a weak memory model: operations of an execution that take another write than the newest one.
const MOST_STALE: u32 = 2;

#[derive(Clone, Copy, Debug)]
enum Node {
    /// Chosen thread, threads left to try, preemptions before this point, default thread.
    Thread {
        taken: ThreadIndex,
        left: ThreadSet,
    },
    Value {
        taken: u16,
        of: u16,
    },
}

/// Depth-first search.
#[derive(Clone, Debug)]
pub struct Dfs {
    bound: Option<u32>,
    path: Vec<Node>,
    depth: usize,
    preemptions: u32,
    stale: u32,
    memory_model: Option<MemoryModel>,
    started: bool,
    exhausted: bool,
}

impl Dfs {
    /// All schedules with at most `bound` preemptions; `None`: all schedules.
    #[must_use]
    pub fn new(bound: Option<u32>) -> Self {
        Self {
            bound,
            path: Vec::new(),
            depth: 0,
            preemptions: 0,
            stale: 0,
            memory_model: None,
            started: false,
            exhausted: false,
        }
    }

    /// Under this memory model; with a bound, at most two operations of an execution take another write than the
    /// newest.
    #[must_use]
    pub fn under(mut self, model: MemoryModel) -> Self {
        self.memory_model = Some(model);
        self
    }

    /// The order of preference: the current thread first, unless it yielded.
    fn preferred(point: &DecisionPoint<'_>, set: ThreadSet) -> ThreadIndex {
        let others = set.without(point.current);
        if point.yielded && !others.is_empty() {
            return others.lowest();
        }
        if set.contains(point.current) {
            point.current
        } else {
            set.lowest()
        }
    }

    fn is_preemption(point: &DecisionPoint<'_>, chosen: ThreadIndex) -> bool {
        chosen != point.current && point.enabled.contains(point.current) && !point.yielded
    }
}

impl Strategy for Dfs {
    fn begin(&mut self) -> bool {
        self.depth = 0;
        self.preemptions = 0;
        self.stale = 0;
        if !self.started {
            self.started = true;
            return true;
        }
        while let Some(node) = self.path.last_mut() {
            match node {
                Node::Thread { taken, left } if !left.is_empty() => {
                    *taken = left.lowest();
                    *left = left.rest();
                    return true;
                }
                Node::Value { taken, of } if *taken + 1 < *of => {
                    *taken += 1;
                    return true;
                }
                _ => {
                    self.path.pop();
                }
            }
        }
        self.exhausted = true;
        false
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        let set = point.enabled;
        if !set.has_several() {
            return Choice::Run(set.lowest());
        }
        if self.depth == self.path.len() {
            let taken = Self::preferred(point, set);
            let spent_out = self.bound.is_some_and(|bound| self.preemptions >= bound);
            // At the preemption bound, only switches that are no preemption are tried.
            let left = if spent_out
                && !Self::is_preemption(point, taken)
                && set.contains(point.current)
                && !point.yielded
            {
                ThreadSet::EMPTY
            } else {
                set.without(taken)
            };
            self.path.push(Node::Thread { taken, left });
        }
        let chosen = match self.path[self.depth] {
            Node::Thread { taken, .. } if set.contains(taken) => taken,
            // The test is not deterministic; the caller sees that from the events.
            _ => Self::preferred(point, set),
        };
        self.depth += 1;
        if Self::is_preemption(point, chosen) {
            self.preemptions += 1;
        }
        Choice::Run(chosen)
    }

    fn needs_forced_points(&self) -> bool {
        false
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        if self.depth == self.path.len() {
            self.path.push(Node::Value {
                taken: 0,
                of: alternatives,
            });
        }
        let taken = match self.path[self.depth] {
            Node::Value { taken, .. } => taken.min(alternatives - 1),
            Node::Thread { .. } => 0,
        };
        self.depth += 1;
        taken
    }

    fn memory(&mut self, point: &MemoryPoint<'_>) -> Option<u16> {
        let alternatives = point.alternatives.len() as u16;
        if alternatives == 1 || self.bound.is_some() && self.stale == MOST_STALE {
            return Some(0);
        }
        let chosen = self.value(alternatives);
        self.stale += u32::from(chosen > 0);
        Some(chosen)
    }

    fn fails_spuriously(&mut self) -> bool {
        self.bound.is_none() && self.value(2) == 1
    }

    fn memory_model(&self) -> Option<MemoryModel> {
        self.memory_model
    }

    fn seed(&mut self) -> u64 {
        0
    }

    fn end(&mut self, _record: &ExecutionRecord) {
        self.path.truncate(self.depth);
    }

    fn exhausted(&self) -> bool {
        self.exhausted
    }
}
