//! The decision point as a value, and the strategy that answers it.

use crate::gap::Gaps;
use crate::limits::{Leeway, MemoryModel};
use crate::rng::Rng;
pub use crate::trace::ThreadSet;
use crate::trace::{Event, ExecutionRecord, Pending, ThreadIndex};
use std::fmt;
use std::panic::Location;
use std::sync::atomic::Ordering;

/// A point at which the strategy picks the thread that runs next. Everything a strategy may see is here.
#[derive(Clone, Copy, Debug)]
pub struct DecisionPoint<'a> {
    /// Events executed so far.
    pub events: &'a [Event],
    /// Thread that ran last.
    pub current: ThreadIndex,
    /// Threads that can run now; never empty.
    pub enabled: ThreadSet,
    /// Next operation of every thread, by thread number; `None` for a thread that has ended.
    pub pending: &'a [Option<Pending>],
    /// Spinning threads: in `enabled` only if no other thread is.
    pub spinning: ThreadSet,
    /// Threads whose pending operation may end without what it waits for, as a choice of the strategy: by a timeout, or
    /// spuriously. Where such a thread is enabled only for that, choosing it makes it so.
    pub interruptible: ThreadSet,
    /// Threads that wait with a time limit that has not passed; where no thread can run, time passes.
    pub timed: ThreadSet,
    /// True if no thread can run otherwise: virtual time advances, or a spinning thread iterates once more.
    pub last_resort: bool,
    /// True if the current thread yielded (`yield_now`): switching away is no preemption.
    pub yielded: bool,
    /// Where the next operation of each thread is in the source.
    pub places: &'a dyn Places,
}

/// Source locations of the operations that threads execute next.
pub trait Places: fmt::Debug {
    /// That of this thread; `None` if it is not known.
    fn place(&self, thread: ThreadIndex) -> Option<&'static Location<'static>>;
}

/// No location is known.
#[derive(Clone, Copy, Debug)]
pub struct NoPlaces;

impl Places for NoPlaces {
    fn place(&self, _: ThreadIndex) -> Option<&'static Location<'static>> {
        None
    }
}

/// A point at which an atomic operation may read one of several writes, or take one of several places in the
/// modification order of its location.
#[derive(Clone, Copy, Debug)]
pub struct MemoryPoint<'a> {
    /// Events executed so far; the operation will be the next one.
    pub events: &'a [Event],
    /// The thread whose operation it is.
    pub thread: ThreadIndex,
    /// The operation; a compare-exchange as if it succeeds, or as failed if it fails spuriously.
    pub pending: Pending,
    /// What a compare-exchange compares with, and the ordering if it fails.
    pub exchange: Option<(u64, Ordering)>,
    /// The writes to the location in modification order, the last 64 of them.
    pub writes: &'a [LocationWrite],
    /// The alternatives, as places in `writes`, the newest first; never empty. A read takes this write; a store comes
    /// right after it.
    pub alternatives: &'a [u16],
    /// As `alternatives`, with those that only the order of `SeqCst` events forbids. A schedule has the number of what
    /// was chosen in this list.
    pub coherent: &'a [u16],
    /// True if older writes were left out because the thread goes round a loop and would wait for ever, or unwinds.
    pub catches_up: bool,
}

impl MemoryPoint<'_> {
    /// The number among `alternatives` of what a schedule has recorded as a number in `coherent`; `None` if it is not
    /// allowed here.
    #[must_use]
    pub fn alternative(&self, recorded: u16) -> Option<u16> {
        let place = self.coherent.get(usize::from(recorded))?;
        let found = self.alternatives.iter().position(|it| it == place)?;
        u16::try_from(found).ok()
    }
}

/// A write to a location, as a strategy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocationWrite {
    /// Number of the event that wrote; [`Writes::INITIAL`](crate::trace::Writes::INITIAL) if none did.
    pub event: u32,
    /// The value, as bits.
    pub value: u64,
    /// True if the next one in modification order is a read-modify-write, which nothing may come before.
    pub taken: bool,
}

/// Answer of a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This thread runs; it must be enabled.
    Run(ThreadIndex),
    /// Time passes until the first of [`DecisionPoint::timed`] has waited long enough, as if no thread could run; that
    /// thread runs.
    LetTimePass,
    /// This thread of [`DecisionPoint::spinning`] goes round its loop once more, as if no thread could run. Like
    /// [`Choice::LetTimePass`], it is not part of the schedule.
    GoRound(ThreadIndex),
    /// End this execution, it leads nowhere new. It counts as an execution; a strategy that samples loses one.
    Abandon,
}

/// Picks the interleavings. The explorer calls `begin`, then the execution calls `thread` and `value` at each decision,
/// then the explorer calls `end`.
pub trait Strategy {
    /// Prepares the next execution; `false` if there is none left to explore.
    fn begin(&mut self) -> bool;
    /// Picks the thread that runs next. Called at every visible operation, also when only one thread is enabled unless
    /// [`Strategy::needs_forced_points`] says that it need not.
    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice;
    /// Picks one of `alternatives` (at least 2) values, counting from 0.
    fn value(&mut self, alternatives: u16) -> u16;
    /// Picks what an atomic operation reads, or where it comes, under a weak memory model: the number of one of the
    /// point's alternatives, of which there may be one only; `None` ends the execution, as [`Choice::Abandon`]. The
    /// default is the newest write, as under sequential consistency. Called where several writes are coherent, or
    /// everywhere if [`Strategy::needs_forced_points`].
    fn memory(&mut self, point: &MemoryPoint<'_>) -> Option<u16> {
        let _ = point;
        Some(0)
    }
    /// True if [`memory`](Self::memory) knows what the next operation of this thread takes, and that the memory model
    /// allows it; `events` are those of the next call. Its alternatives may then contain what is not allowed.
    fn knows_memory(&mut self, events: &[Event], thread: ThreadIndex) -> bool {
        let _ = (events, thread);
        false
    }
    /// Whether a thread goes on that has read the same in several rounds of a loop, under a weak memory model; else it
    /// waits until what it read changes, as by default. With its next operation, and where that is.
    fn goes_on(
        &mut self,
        events: &[Event],
        thread: (ThreadIndex, Pending),
        place: &'static Location<'static>,
    ) -> bool {
        let _ = (events, thread, place);
        false
    }
    /// Whether a `compare_exchange_weak` that could succeed fails, under a weak memory model. Not by default.
    fn fails_spuriously(&mut self) -> bool {
        false
    }
    /// What atomic operations may read in the execution that begins; `None` leaves that to the
    /// [`Limits`](crate::limits::Limits).
    fn memory_model(&self) -> Option<MemoryModel> {
        None
    }
    /// What may happen in the execution that begins beyond the ordinary.
    fn leeway(&self) -> Leeway {
        Leeway::default()
    }
    /// The seed of the random numbers of this execution ([`rand`](contest_std::rand)); called at most once in an
    /// execution, and only if the code under test draws numbers. The same in every execution unless the strategy
    /// samples.
    fn seed(&mut self) -> u64;
    /// Sees how the execution ended.
    fn end(&mut self, record: &ExecutionRecord);
    /// True if this strategy must also be called at decision points where only one thread is enabled. The same for all
    /// of an execution.
    fn needs_forced_points(&self) -> bool {
        true
    }
    /// For a strategy that gives each enabled thread and each value the same chance and looks at nothing else: its
    /// generator. Then the engine draws from it in the strategy's place, as [`Random`](contest_search::explore::Random)
    /// does, and saves a call for each decision.
    fn uniform(&mut self) -> Option<&mut Rng> {
        None
    }
    /// True once `begin` has returned `false` because everything within the strategy's bounds was explored, and other
    /// strategies would not explore more. That everything was explored may be said only if there are no
    /// [`gaps`](Self::gaps) either.
    fn exhausted(&self) -> bool {
        false
    }
    /// For an exhaustive strategy: what it has not explored although nothing is left for it, beside what the records of
    /// its executions say.
    fn gaps(&self) -> &Gaps {
        static NONE: Gaps = Gaps::NONE;
        &NONE
    }
    /// What else the strategy counts, by names for reports. Those of [`pta`](contest_data::names::pta) are constants,
    /// because the tool looks for them.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
    /// For an exhaustive strategy: what it has explored.
    fn traces(&self) -> Option<Traces> {
        None
    }
    /// For an exhaustive strategy: an estimate of how much of everything it has explored, from 0 to 1.
    fn explored(&self) -> Option<f64> {
        None
    }
}

/// What an exhaustive strategy has explored so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// Executions that ran to their end; nearly each is a different Mazurkiewicz trace.
    pub traces: u64,
    /// Executions that were given up because their continuation was explored before.
    pub redundant: u64,
    /// Executions in which a spinning thread was blocked until a change although it could have iterated again. The
    /// number of iterations is assumed not to matter.
    pub held_back: u64,
}

/// One of the members, each as likely; the only one without a number drawn.
pub fn any(set: ThreadSet, rng: &mut Rng) -> ThreadIndex {
    let low = set.mask();
    if set != ThreadSet::of_mask(low) {
        return set.member(rng.below(set.len()));
    }
    if !set.has_several() {
        return set.lowest();
    }
    any_of(low, rng)
}

/// As [`any`], of at least two members among the first 64 threads.
#[inline(always)]
pub fn any_of(set: u64, rng: &mut Rng) -> ThreadIndex {
    let rest = set & set.wrapping_sub(1);
    if rest & rest.wrapping_sub(1) != 0 {
        return any_of_many(set, rng);
    }
    // Two, as nearly always.
    let chosen = if rng.coin() { rest } else { set };
    ThreadIndex(chosen.trailing_zeros() as u16)
}

#[inline(never)]
fn any_of_many(set: u64, rng: &mut Rng) -> ThreadIndex {
    // Walking over the members is faster than counting bits where the processor has no instruction for it.
    let mut count = 0;
    let mut rest = set;
    while rest != 0 {
        rest &= rest - 1;
        count += 1;
    }
    rest = set;
    for _ in 0..rng.below(count) {
        rest &= rest - 1;
    }
    ThreadIndex(rest.trailing_zeros() as u16)
}

/// A strategy by its name, or a value that is one.
#[expect(missing_debug_implementations, reason = "a strategy need not have one")]
pub enum StrategyChoice {
    /// One of [`STRATEGIES`](crate::names::STRATEGIES).
    Named(String),
    /// This one.
    Given(Box<dyn Strategy>),
}

/// What can be given where a strategy is chosen: a name, or a value that is a strategy.
pub trait ChooseStrategy {
    /// The choice.
    fn choice(self) -> StrategyChoice;
}

impl ChooseStrategy for &str {
    fn choice(self) -> StrategyChoice {
        StrategyChoice::Named(self.to_owned())
    }
}

impl ChooseStrategy for String {
    fn choice(self) -> StrategyChoice {
        StrategyChoice::Named(self)
    }
}

impl<S: Strategy + 'static> ChooseStrategy for S {
    fn choice(self) -> StrategyChoice {
        StrategyChoice::Given(Box::new(self))
    }
}
