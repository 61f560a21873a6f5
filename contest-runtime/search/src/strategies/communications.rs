//! PCTWM (Gao, Chakraborty, Kulahcioglu Ozkan: Probabilistic Concurrency Testing for Weak Memory Programs, ASPLOS
//! 2023): threads run by random priorities, and each read takes what its thread knows already, but for a few reads,
//! drawn at random, that communicate: their thread waits until the others have gone on, then they take something newer.
//! The number of these is the depth; most bugs of weak memory need one to three.
//!
//! Deviations: only reads count as events that may communicate; their number is the largest seen so far; depths take
//! turns; a read that communicates takes any of the newer writes, each as likely, instead of one of the last `h`. What
//! a read-modify-write takes, and where a store comes, is the newest write: other places in the modification order are
//! left to other strategies.

use contest_data::decision::{Choice, DecisionPoint, MemoryPoint, Strategy};
use contest_data::limits::MemoryModel;
use contest_data::rng::Rng;
use contest_data::trace::{Action, Event, ExecutionRecord, Pending, ThreadIndex};

use super::stale::SPURIOUS;

/// Reads that communicate, by execution.
const DEPTHS: [u32; 6] = [1, 2, 1, 3, 0, 2];
/// Reads of an execution, before one was seen.
const FEW: u32 = 6;

/// What is known of a thread's next read.
#[derive(Clone, Copy, Debug, Default)]
struct Next {
    /// It has its number.
    counted: bool,
    /// It communicates.
    communicates: bool,
}

/// The strategy.
#[derive(Clone, Debug)]
pub struct Communications {
    rng: Rng,
    left: u64,
    executions: usize,
    /// Most reads of an execution so far.
    most: u32,
    /// Reads that were met.
    reads: u32,
    /// Numbers of those that communicate.
    chosen: Vec<u32>,
    next: Vec<Next>,
    /// Events that were taken in.
    seen: usize,
    /// Priorities by thread; higher goes first.
    priorities: Vec<i64>,
    lowest: i64,
}

impl Communications {
    /// For at most this many executions.
    #[must_use]
    pub fn new(seed: u64, executions: u64) -> Self {
        Self {
            rng: Rng::new(seed),
            left: executions,
            executions: 0,
            most: FEW,
            reads: 0,
            chosen: Vec::new(),
            next: Vec::new(),
            seen: 0,
            priorities: Vec::new(),
            lowest: 0,
        }
    }

    fn admit(&mut self, threads: usize) {
        while self.priorities.len() < threads {
            let priority = (self.rng.bits() >> 2) as i64;
            self.priorities.push(priority);
            self.next.push(Next::default());
        }
    }

    /// A read that has been executed is not the next one any more.
    fn catch_up(&mut self, events: &[Event]) {
        for event in &events[self.seen..] {
            let next = self.next.get_mut(event.thread.index());
            if let (Action::Load(_), Some(next)) = (event.action, next) {
                *next = Next::default();
            }
        }
        self.seen = events.len();
    }

    fn lower(&mut self, thread: ThreadIndex) {
        self.lowest -= 1;
        self.priorities[thread.index()] = self.lowest;
    }

    /// Gives the next read of a thread its number, if it has none; true if it turns out to communicate.
    fn count(&mut self, thread: ThreadIndex) -> bool {
        let next = &mut self.next[thread.index()];
        if next.counted {
            return false;
        }
        self.reads += 1;
        next.counted = true;
        next.communicates = self.chosen.contains(&self.reads);
        next.communicates
    }
}

fn is_read(pending: Option<&Option<Pending>>) -> bool {
    pending
        .and_then(Option::as_ref)
        .is_some_and(|it| matches!(it.action, Action::Load(_)))
}

impl Strategy for Communications {
    fn begin(&mut self) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let depth = DEPTHS[self.executions % DEPTHS.len()].min(self.most);
        self.executions += 1;
        self.reads = 0;
        self.lowest = 0;
        self.priorities.clear();
        self.next.clear();
        self.seen = 0;
        self.chosen.clear();
        while self.chosen.len() < depth as usize {
            let read = 1 + self.rng.below(self.most);
            if !self.chosen.contains(&read) {
                self.chosen.push(read);
            }
        }
        true
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        let set = point.enabled;
        if !set.has_several() {
            return Choice::Run(set.lowest());
        }
        self.admit(point.pending.len());
        self.catch_up(point.events);
        if point.yielded {
            self.lower(point.current);
        }
        loop {
            let mut best = set.lowest();
            for thread in set.rest() {
                if self.priorities[thread.index()] > self.priorities[best.index()] {
                    best = thread;
                }
            }
            if is_read(point.pending.get(best.index())) && self.count(best) {
                self.lower(best);
            } else {
                return Choice::Run(best);
            }
        }
    }

    fn memory(&mut self, point: &MemoryPoint<'_>) -> Option<u16> {
        let newer = point.alternatives.len() as u32 - 1;
        if newer == 0 || !matches!(point.pending.action, Action::Load(_)) {
            return Some(0);
        }
        self.admit(point.thread.index() + 1);
        self.catch_up(point.events);
        self.count(point.thread);
        Some(if self.next[point.thread.index()].communicates {
            self.rng.below(newer) as u16
        } else {
            newer as u16
        })
    }

    fn fails_spuriously(&mut self) -> bool {
        self.rng.below(SPURIOUS) == 0
    }

    fn memory_model(&self) -> Option<MemoryModel> {
        Some(MemoryModel::Rc11)
    }

    fn needs_forced_points(&self) -> bool {
        false
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        self.rng.below(u32::from(alternatives)) as u16
    }

    fn seed(&mut self) -> u64 {
        self.rng.bits()
    }

    fn end(&mut self, _record: &ExecutionRecord) {
        self.most = self.most.max(self.reads);
    }
}
