//! URW and SURW (Zhao, Wolff, Mathur, Roychoudhury: Selectively uniform concurrency testing, ASPLOS 2025; ALGORITHMS D.4 and D.5).
//!
//! URW picks a thread with probability proportional to the number of events it is expected to execute still, which makes every
//! interleaving equally likely if the numbers are right and nothing blocks. SURW does so for the events on one shared location only,
//! drawn anew for each execution, and is otherwise uniform over threads.
//!
//! Deviation: the numbers are those of the execution before (the first is a random walk), where the paper takes them from a profile run.

use super::random::member;
use super::rng::Rng;
use crate::execution::{Choice, DecisionPoint, Strategy, ThreadSet};
use crate::trace::{Event, ExecutionRecord, ObjectId, Pending, ThreadIndex};

/// Which events count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interest {
    All,
    /// Those on the object with this number, counting from 0, in order of first use.
    One(ObjectId),
}

/// Uniform random walk, over all events or over those of one location.
#[derive(Clone, Debug)]
pub struct Urw {
    rng: Rng,
    left: u64,
    selective: bool,
    interest: Interest,
    /// Objects that two threads accessed in the last execution, with the events of each thread on them.
    shared: Vec<(ObjectId, Vec<u32>)>,
    /// All events of each thread in the last execution, and the thread that created it.
    totals: Vec<(u32, u16)>,
    remaining: Vec<u32>,
    /// SURW: the thread that is to execute the next event of interest.
    wanted: Option<ThreadIndex>,
    seen: usize,
}

impl Urw {
    /// Uniform over all interleavings.
    #[must_use]
    pub fn new(seed: u64, executions: u64) -> Self {
        Self {
            rng: Rng::new(seed),
            left: executions,
            selective: false,
            interest: Interest::All,
            shared: Vec::new(),
            totals: Vec::new(),
            remaining: Vec::new(),
            wanted: None,
            seen: 0,
        }
    }

    /// Uniform over the interleavings of one location's events.
    #[must_use]
    pub fn selective(seed: u64, executions: u64) -> Self {
        Self {
            selective: true,
            ..Self::new(seed, executions)
        }
    }

    fn counts(&self, object: ObjectId) -> bool {
        match self.interest {
            Interest::All => true,
            Interest::One(one) => one == object,
        }
    }

    fn is_interesting(&self, pending: Option<&Pending>) -> bool {
        pending
            .is_some_and(|pending| pending.object != ObjectId::NONE && self.counts(pending.object))
    }

    /// Expected events of a thread, those of the threads it has yet to create included.
    fn weight(&self, thread: ThreadIndex, created: usize) -> u32 {
        let own = self.remaining.get(thread.index()).copied().unwrap_or(0);
        let children: u32 = (created..self.remaining.len())
            .filter(|&child| {
                self.totals
                    .get(child)
                    .is_some_and(|(_, parent)| *parent == thread.0)
            })
            .map(|child| self.remaining[child])
            .sum();
        (own + children).max(1)
    }

    fn draw(&mut self, set: ThreadSet, created: usize) -> ThreadIndex {
        let threads = || {
            let mut rest = set;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let thread = ThreadIndex(rest.trailing_zeros() as u16);
                    rest &= rest - 1;
                    thread
                })
            })
        };
        let total: u32 = threads().map(|thread| self.weight(thread, created)).sum();
        let mut ticket = self.rng.below(total);
        for thread in threads() {
            let weight = self.weight(thread, created);
            if ticket < weight {
                return thread;
            }
            ticket -= weight;
        }
        ThreadIndex(set.trailing_zeros() as u16)
    }

    /// Takes the events executed since the last decision off the expectations.
    fn catch_up(&mut self, events: &[Event]) {
        for event in &events[self.seen..] {
            if self.counts(event.object) || self.interest == Interest::All {
                if let Some(left) = self.remaining.get_mut(event.thread.index()) {
                    *left = left.saturating_sub(1);
                }
                self.wanted = None;
            }
        }
        self.seen = events.len();
    }
}

impl Strategy for Urw {
    fn begin(&mut self) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.seen = 0;
        self.wanted = None;
        self.remaining.clear();
        if self.selective && !self.shared.is_empty() {
            let index = self.rng.below(self.shared.len() as u32) as usize;
            self.interest = Interest::One(self.shared[index].0);
            self.remaining.extend_from_slice(&self.shared[index].1);
        } else {
            self.interest = Interest::All;
            self.remaining
                .extend(self.totals.iter().map(|(events, _)| *events));
        }
        true
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        self.catch_up(point.events);
        let mut set = point.enabled;
        if point.yielded && set & !(1 << point.current.0) != 0 {
            set &= !(1 << point.current.0);
        }
        if set & (set - 1) == 0 {
            return Choice::Run(ThreadIndex(set.trailing_zeros() as u16));
        }
        let created = point.pending.len();
        if self.interest == Interest::All {
            return Choice::Run(self.draw(set, created));
        }
        let wanted = match self.wanted {
            Some(wanted) if set & (1 << wanted.0) != 0 => wanted,
            _ => self.draw(set, created),
        };
        self.wanted = Some(wanted);
        let mut allowed = 0;
        let mut rest = set;
        while rest != 0 {
            let thread = ThreadIndex(rest.trailing_zeros() as u16);
            rest &= rest - 1;
            if thread == wanted || !self.is_interesting(point.pending[thread.index()].as_ref()) {
                allowed |= 1 << thread.0;
            }
        }
        let index = self.rng.below(ThreadSet::count_ones(allowed));
        Choice::Run(member(allowed, index))
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        self.rng.below(u32::from(alternatives)) as u16
    }

    fn seed(&mut self) -> u64 {
        self.rng.bits()
    }

    fn end(&mut self, record: &ExecutionRecord) {
        self.totals.clear();
        self.totals
            .resize(usize::from(record.threads), (0, u16::MAX));
        for counts in &mut self.shared {
            counts.1.clear();
        }
        let mut shared: Vec<(ObjectId, Vec<u32>)> = Vec::new();
        for event in &record.events {
            self.totals[event.thread.index()].0 += 1;
            if let crate::trace::Action::Spawn(child) = event.action
                && let Some(entry) = self.totals.get_mut(child.index())
            {
                entry.1 = event.thread.0;
            }
            if self.selective && event.object != ObjectId::NONE {
                let position = shared
                    .iter()
                    .position(|(object, _)| *object == event.object)
                    .unwrap_or_else(|| {
                        shared.push((event.object, vec![0; usize::from(record.threads)]));
                        shared.len() - 1
                    });
                shared[position].1[event.thread.index()] += 1;
            }
        }
        shared.retain(|(_, counts)| counts.iter().filter(|count| **count > 0).count() > 1);
        self.shared = shared;
    }
}
