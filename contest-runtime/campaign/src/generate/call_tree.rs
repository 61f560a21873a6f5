//! The search for a sequence of calls that covers most (Terragni and Cheung, ICSE 2016, section 4.2 and Figures 7 and
//! 8): depth first through the tree of sequences, until more calls bring nothing new.
//!
//! Deviations: a sequence replaces another one as redundant only if its saturation is no higher (the published rule can
//! be chosen with [`Prunings::published`]); sequences that fail are not remembered, since nothing can be appended to
//! them; where the state of an object is unknown no two states are equal, and sequences stay short; the number of runs
//! is limited, and a search that was cut says so.

use super::sequential_coverage::TraceId;
use contest_data::fast_hash::FastMap;
use contest_data::settings::Prunings;
use contest_data::sorted;

/// Longest sequence.
pub(super) const LONGEST: usize = 40;
/// Longest sequence of objects whose state is unknown.
pub(super) const LONGEST_UNKNOWN: usize = 8;
/// Sequences that a search may look at for each that it may run.
const LOOKS: u64 = 100;
/// Sequences that any search may look at.
const MOST_LOOKS: u64 = 300_000;

/// What one run of a sequence showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SequenceRun {
    /// Trace of the last call.
    pub trace: TraceId,
    /// State of the object afterwards, as a hash; `None` if it is not known.
    pub state: Option<u64>,
    /// The last call panicked, or never came back.
    pub failed: bool,
    /// The last call waited for others, or for time: it never came back, or its future was pending.
    pub waits: bool,
    /// The future of the last call was pending at least once, also if it woke itself. So the call can be cancelled.
    pub pends: bool,
    /// The last call waited until its time was up, and came back.
    pub gave_up: bool,
    /// Others may notice something that the last call did, giving a lock back too.
    pub acts: bool,
    /// What its last calls accessed, in order; of fields, what the last two did.
    pub accesses: Vec<SequenceAccess>,
    /// Which locks its calls took while others were held.
    pub lock_orders: Vec<LockOrder>,
}

impl SequenceRun {
    /// What a call that cannot be run counts as.
    pub(crate) const FAILED: Self = Self {
        trace: u32::MAX,
        state: None,
        failed: true,
        waits: false,
        pends: false,
        gave_up: false,
        acts: false,
        accesses: Vec::new(),
        lock_orders: Vec::new(),
    };
}

/// A lock that a call took while another one was held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LockOrder {
    /// Place of the call in the sequence.
    pub call: usize,
    /// Number of the lock that was held; equal in this run only.
    pub outer: u32,
    /// Number of the one that was taken.
    pub inner: u32,
}

/// One access of a sequence that one thread ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SequenceAccess {
    /// Place of the call in the sequence.
    pub call: usize,
    /// Number of the variable; equal in this run only.
    pub variable: u32,
    /// The place in the source, as a hash.
    pub site: u64,
    /// It reads.
    pub reads: bool,
    /// It writes.
    pub writes: bool,
    /// It is an operation of a lock, an atomic or the like: other threads may run before it.
    pub visible: bool,
    /// Which section of its call a visible operation belongs to, counting from 1. A section is what a call does from
    /// the first lock that it takes to the last one that it takes before it gives one back, or one operation outside of
    /// locks: sections of one call each see a state of their own.
    pub section: u32,
}

/// Runs a sequence of calls on a fresh object, in one thread. The campaign implements it with the engine.
pub(super) trait RunSequence<E> {
    /// Runs the calls in order; there is at least one.
    fn run_sequence(&mut self, calls: &[E]) -> SequenceRun;

    /// The same, where all but the last call leave the object in this state, and whether they were run. They need not
    /// be, if it is known what the last call does in this state.
    fn run_from(&mut self, _state: Option<u64>, calls: &[E]) -> (SequenceRun, bool) {
        (self.run_sequence(calls), true)
    }
}

/// How often each pruning cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pruned {
    /// D1.
    pub failed: u64,
    /// D2.
    pub unchanged: u64,
    /// D3.
    pub redundant_child: u64,
    /// B1.
    pub gain_without_change: u64,
    /// B2.
    pub redundant: u64,
}

/// The best sequence of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found<E> {
    /// Its calls.
    pub calls: Vec<E>,
    /// For each call, whether its trace was new when it was appended.
    pub new: Vec<bool>,
    /// The traces that it adds to those already covered.
    pub covers: Vec<TraceId>,
    /// Sequences that were run.
    pub runs: u64,
    /// Prunings that cut.
    pub pruned: Pruned,
    /// The limit of runs ended the search.
    pub cut: bool,
    /// Some sequence was given up although more calls might have brought something new.
    pub saturated: bool,
}

/// One search.
#[derive(Debug)]
pub(super) struct CallTree<'a, E> {
    edges: &'a [E],
    covered: &'a TraceSet,
    saturation: u32,
    prunings: Prunings,
    most_runs: u64,
    longest: usize,
    /// What a call is of, where calls of what a sequence has had least often come first.
    group: Option<fn(&E) -> u16>,
    seen: FastMap<u64, Vec<Seen>>,
    looks: u64,
    runs: u64,
    pruned: Pruned,
    cut: bool,
    saturated: bool,
}

#[derive(Debug)]
struct Seen {
    covers: TraceSet,
    length: usize,
    stale: u32,
    id: u64,
}

#[derive(Clone, Debug)]
struct Node<E> {
    calls: Vec<E>,
    new: Vec<bool>,
    covers: TraceSet,
    state: Option<u64>,
    stale: u32,
    id: u64,
}

impl<E> Node<E> {
    fn better_than(&self, other: &Self) -> bool {
        let (own, others) = (self.covers.len(), other.covers.len());
        own > others || (own == others && self.calls.len() < other.calls.len())
    }
}

impl<'a, E: Clone> CallTree<'a, E> {
    /// A search among sequences of these calls for traces outside `covered`. A sequence is given up after `saturation`
    /// calls in a row without a new trace; the search after `most_runs` runs.
    #[must_use]
    pub(super) fn new(
        edges: &'a [E],
        covered: &'a TraceSet,
        saturation: u32,
        prunings: Prunings,
        most_runs: u64,
    ) -> Self {
        Self {
            edges,
            covered,
            saturation,
            prunings,
            most_runs,
            longest: LONGEST,
            group: None,
            seen: FastMap::default(),
            looks: 0,
            runs: 0,
            pruned: Pruned::default(),
            cut: false,
            saturated: false,
        }
    }

    /// With sequences of so many calls at most.
    #[must_use]
    pub(super) fn up_to(self, longest: usize) -> Self {
        Self { longest, ..self }
    }

    /// Calls of what a sequence has had least often are appended to it first.
    #[must_use]
    pub(super) fn rarest_first(self, group: fn(&E) -> u16) -> Self {
        Self {
            group: Some(group),
            ..self
        }
    }

    /// The calls in the order in which they are appended.
    fn order(&self, node: &Node<E>) -> Vec<&'a E> {
        let mut order: Vec<&E> = self.edges.iter().collect();
        if let Some(group) = self.group {
            let mut had: FastMap<u16, u32> = FastMap::default();
            for call in &node.calls {
                *had.entry(group(call)).or_default() += 1;
            }
            sorted::sort_by_key(&mut order, |edge| {
                had.get(&group(edge)).copied().unwrap_or(0)
            });
        }
        order
    }

    /// Searches; the best sequence covers nothing new if there is none.
    pub(super) fn search(mut self, runner: &mut dyn RunSequence<E>) -> Found<E> {
        let root = Node {
            calls: Vec::new(),
            new: Vec::new(),
            covers: TraceSet::default(),
            state: None,
            stale: 0,
            id: 0,
        };
        let best = self.grow(&root, runner);
        Found {
            calls: best.calls,
            new: best.new,
            covers: best.covers.iter().collect(),
            runs: self.runs,
            pruned: self.pruned,
            cut: self.cut,
            saturated: self.saturated,
        }
    }

    fn grow(&mut self, node: &Node<E>, runner: &mut dyn RunSequence<E>) -> Node<E> {
        let mut best = node.clone();
        let known = node.calls.is_empty() || node.state.is_some();
        let longest = if known { self.longest } else { LONGEST_UNKNOWN };
        if node.stale >= self.saturation || node.calls.len() >= longest {
            self.saturated = true;
            return best;
        }
        for edge in self.order(node) {
            if self.runs >= self.most_runs || self.looks >= MOST_LOOKS.min(LOOKS * self.most_runs) {
                self.cut = true;
                return best;
            }
            self.looks += 1;
            let mut child = node.clone();
            child.calls.push(edge.clone());
            let (run, ran) = runner.run_from(node.state, &child.calls);
            self.runs += u64::from(ran);
            if run.failed {
                self.pruned.failed += 1;
                continue;
            }
            let gain = !self.covered.contains(run.trace) && child.covers.insert(run.trace);
            child.new.push(gain);
            child.stale = if gain { 0 } else { node.stale + 1 };
            child.state = run.state;
            child.id = self.looks;
            let same_state = run.state.is_some() && run.state == node.state;
            let goes_on = if !gain && same_state && self.prunings.unchanged {
                self.pruned.unchanged += 1;
                false
            } else if !gain && self.prunings.redundant_child && self.is_redundant(&child) {
                self.pruned.redundant_child += 1;
                false
            } else {
                true
            };
            self.remember(&child);
            if goes_on {
                let grown = self.grow(&child, runner);
                if grown.better_than(&best) {
                    best = grown;
                }
            }
            if gain && same_state && self.prunings.gain_without_change {
                self.pruned.gain_without_change += 1;
                break;
            }
            if self.prunings.redundant && self.is_redundant(node) {
                self.pruned.redundant += 1;
                break;
            }
        }
        best
    }

    fn remember(&mut self, node: &Node<E>) {
        if let Some(state) = node.state {
            self.seen.entry(state).or_default().push(Seen {
                covers: node.covers.clone(),
                length: node.calls.len(),
                stale: node.stale,
                id: node.id,
            });
        }
    }

    /// True if an earlier sequence leads to the same state and covers all that this one does, with no more calls if it
    /// covers the same.
    fn is_redundant(&self, node: &Node<E>) -> bool {
        let Some(seen) = node.state.and_then(|state| self.seen.get(&state)) else {
            return false;
        };
        seen.iter().any(|other| {
            other.id != node.id
                && (self.prunings.published || other.stale <= node.stale)
                && node.covers.is_subset_of(&other.covers)
                && (other.covers.len() > node.covers.len() || other.length <= node.calls.len())
        })
    }
}

/// A set of traces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TraceSet {
    words: Vec<u64>,
    len: usize,
}

impl TraceSet {
    /// Adds a trace; true if it is new.
    pub(super) fn insert(&mut self, trace: TraceId) -> bool {
        let (word, bit) = (trace as usize / 64, 1 << (trace % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.len += usize::from(new);
        new
    }

    /// True if the trace is in it.
    #[must_use]
    pub(super) fn contains(&self, trace: TraceId) -> bool {
        self.words
            .get(trace as usize / 64)
            .is_some_and(|word| word & (1 << (trace % 64)) != 0)
    }

    /// Number of traces.
    #[must_use]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The traces in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = TraceId> {
        (0_u32..).zip(&self.words).flat_map(|(index, word)| {
            (0..64)
                .filter(move |bit| word & (1 << bit) != 0)
                .map(move |bit| index * 64 + bit)
        })
    }

    fn is_subset_of(&self, other: &Self) -> bool {
        (0..self.words.len()).all(|index| {
            let others = other.words.get(index).copied().unwrap_or(0);
            self.words[index] & !others == 0
        })
    }
}

#[cfg(test)]
mod tests;
