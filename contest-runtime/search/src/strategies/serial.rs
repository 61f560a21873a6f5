//! Runs the calls of a test one after another in a given order: no preemption inside a call.
//!
//! When a call blocks, background threads (those that the code under test started) run first, and time passes for a
//! while if such a thread waits for that. A call that sleeps waits for no other one: time passes, unless it sleeps so
//! often that it may be looking for a change. [`Waits`] has the other ways to treat calls that wait for time. If the
//! call stays blocked, the next call of the order runs. The blocked call continues at the next boundary between calls
//! at which it is enabled.

use std::rc::Rc;

use super::focused::{Settled, background, fixed_choice};
use contest_data::decision::{Choice, DecisionPoint, Strategy};
use contest_data::limits::MemoryModel;
use contest_data::test::MAX_LANES;
use contest_data::test::{CallName, Split, TestSlot};
use contest_data::trace::{Action, ExecutionRecord, ThreadIndex, ThreadSet};

/// How often time passes for background threads while a call is blocked. They may have timers that never end.
const MOST_TIMERS: u32 = 32;
/// How often a call sleeps before it counts as one that waits for another.
const MOST_SLEEPS: u32 = 4;
/// How often a call goes on that only seems to wait, because it reads the same again and again: `vec![Atomic::null();
/// 16]` does that too. After so many rounds it waits for another call.
const MOST_ROUNDS: u32 = 64;

/// What becomes of a call that sleeps or waits with a time limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Waits {
    /// Sleeps pass. The next call starts while one waits with a limit, and may be what it waits for.
    #[default]
    Meet,
    /// Sleeps and limits are over before the next call starts.
    Over,
    /// The next call starts while one sleeps, too.
    Overlap,
}

/// State of a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Lane {
    /// Between two calls, or not started.
    #[default]
    Idle,
    /// In a call that was given the turn; its `CallBegin` is not executed yet.
    Entering,
    /// In a call.
    Running,
    /// In a call that is blocked.
    Blocked,
    /// Has ended.
    Ended,
}

/// The strategy.
#[derive(Debug)]
pub struct Serial {
    slot: Rc<TestSlot>,
    order: Vec<u8>,
    split: Split,
    /// Calls begun in each lane.
    begun: [usize; MAX_LANES],
    next: usize,
    lanes: [Lane; MAX_LANES],
    /// Lane whose call has the turn.
    turn: Option<usize>,
    /// A call stayed blocked while another one was started.
    overlapped: bool,
    /// How far background threads have become quiescent.
    settled: Settled,
    /// How often time has passed since the call that has the turn got it.
    timers: u32,
    /// How often that call has gone on since, although it seemed to wait.
    rounds: u32,
    /// Background threads go first whenever they can.
    background_first: bool,
    waits: Waits,
    fresh: bool,
}

impl Serial {
    /// For tests that run in this slot; [`Serial::set_order`] comes first.
    #[must_use]
    pub fn new(slot: Rc<TestSlot>) -> Self {
        Self {
            slot,
            order: Vec::new(),
            split: Split::new(),
            begun: [0; MAX_LANES],
            next: 0,
            lanes: [Lane::Idle; MAX_LANES],
            turn: None,
            overlapped: false,
            settled: Settled::default(),
            timers: 0,
            rounds: 0,
            background_first: false,
            waits: Waits::Meet,
            fresh: false,
        }
    }

    /// The lane of each step, in the order of the next execution; a call in `split` is two steps. What is left of a
    /// lane after the order is used up runs at the end.
    pub fn set_order(&mut self, order: &[u8], split: &Split) {
        self.order.clear();
        self.order.extend_from_slice(order);
        self.split.clone_from(split);
        self.begun = [0; MAX_LANES];
        self.next = 0;
        self.lanes = [Lane::Idle; MAX_LANES];
        self.turn = None;
        self.overlapped = false;
        self.settled = Settled::default();
        self.timers = 0;
        self.rounds = 0;
        self.fresh = true;
    }

    /// While lanes run, background threads go first whenever they can, so that they are at rest at each step of a call.
    /// Otherwise they run where a call waits.
    #[must_use]
    pub fn background_first(self, background_first: bool) -> Self {
        Self {
            background_first,
            ..self
        }
    }

    /// What becomes of calls that wait for time; otherwise they [meet](Waits::Meet) the next one.
    #[must_use]
    pub fn waits(self, waits: Waits) -> Self {
        Self { waits, ..self }
    }

    /// True if in the last execution a call stayed blocked until another one had started: the calls were not atomic.
    #[must_use]
    pub fn overlapped(&self) -> bool {
        self.overlapped
    }

    fn thread_of(&self, lane: usize) -> Option<ThreadIndex> {
        self.slot.thread(lane).map(ThreadIndex)
    }

    fn enabled(point: &DecisionPoint<'_>, thread: ThreadIndex) -> bool {
        point.enabled.contains(thread)
    }

    fn lane_enabled(&self, point: &DecisionPoint<'_>, lane: usize) -> Option<ThreadIndex> {
        self.thread_of(lane)
            .filter(|&thread| Self::enabled(point, thread))
    }

    /// Follows the lane that has the turn. Its thread if it is enabled within its call; a background thread if one is
    /// enabled; else `None`, and the lane loses its turn.
    fn follow(&mut self, point: &DecisionPoint<'_>, lane: usize) -> Option<ThreadIndex> {
        let thread = self.thread_of(lane)?;
        let pending = point.pending.get(thread.index()).copied().flatten();
        let Some(pending) = pending else {
            self.lanes[lane] = Lane::Ended;
            self.turn = None;
            return None;
        };
        if pending.action == Action::LaneEnd {
            self.lanes[lane] = Lane::Ended;
            self.turn = None;
            return None;
        }
        let at_gate = self.is_step(pending.action, lane);
        if at_gate && self.lanes[lane] == Lane::Running {
            self.lanes[lane] = Lane::Idle;
            self.turn = None;
            return None;
        }
        if Self::enabled(point, thread) {
            if at_gate {
                self.lanes[lane] = Lane::Running;
                self.begun[lane] += usize::from(pending.action == Action::CallBegin);
            }
            return Some(thread);
        }
        if let Some(background) = background(point, &self.slot) {
            return Some(background);
        }
        self.lanes[lane] = Lane::Blocked;
        self.turn = None;
        None
    }

    /// True if a step of the order starts with this operation: a call, or the second half of one.
    fn is_step(&self, action: Action, lane: usize) -> bool {
        match action {
            Action::CallBegin => true,
            Action::CallHold => self.begun[lane]
                .checked_sub(1)
                .is_some_and(|call| self.split.contains_key(&CallName::Lane(lane, call))),
            _ => false,
        }
    }

    /// True if what a blocked call waits for may come when time passes: it sleeps, or a background thread waits for
    /// that, and no thread of the test does.
    fn waits_for_timer(&self, point: &DecisionPoint<'_>, lane: usize) -> bool {
        let thread = self.thread_of(lane);
        let pending = thread.and_then(|it| point.pending.get(it.index()).copied().flatten());
        let sleeps = pending.is_some_and(|it| it.action == Action::Sleep);
        if sleeps && self.waits != Waits::Overlap && self.timers < MOST_SLEEPS {
            return true;
        }
        let lanes: ThreadSet = self.slot.threads().map(ThreadIndex).collect();
        let of_test = point.timed & (lanes | ThreadSet::MAIN);
        if self.waits == Waits::Over && !of_test.is_empty() {
            return self.timers < MOST_TIMERS;
        }
        !point.timed.is_empty() && of_test.is_empty() && self.timers < MOST_TIMERS
    }

    /// A blocked call that is enabled again.
    fn resumable(&self, point: &DecisionPoint<'_>) -> Option<(usize, ThreadIndex)> {
        (0..MAX_LANES)
            .filter(|&lane| self.lanes[lane] == Lane::Blocked)
            .find_map(|lane| Some((lane, self.lane_enabled(point, lane)?)))
    }

    /// The next call of the order that can start.
    fn startable(&mut self, point: &DecisionPoint<'_>) -> Option<(usize, ThreadIndex)> {
        while self.next < self.order.len() {
            let lane = usize::from(self.order[self.next]);
            self.next += 1;
            if self.lanes[lane] == Lane::Idle
                && let Some(thread) = self.lane_enabled(point, lane)
            {
                return Some((lane, thread));
            }
        }
        (0..MAX_LANES)
            .filter(|&lane| self.lanes[lane] == Lane::Idle)
            .find_map(|lane| Some((lane, self.lane_enabled(point, lane)?)))
    }
}

impl Strategy for Serial {
    fn begin(&mut self) -> bool {
        std::mem::take(&mut self.fresh)
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        let goes_on = |lane: u16| {
            let pending = point.pending.get(usize::from(lane));
            pending.is_some_and(Option::is_some)
        };
        if self.background_first
            && self.slot.all_started()
            && self.slot.threads().any(goes_on)
            && let Some(thread) = background(point, &self.slot)
        {
            return Choice::Run(thread);
        }
        if let Some(lane) = self.turn {
            if let Some(thread) = self.follow(point, lane) {
                return Choice::Run(thread);
            }
            if self.lanes[lane] == Lane::Blocked
                && self.rounds < MOST_ROUNDS
                && let Some(thread) = self.thread_of(lane)
                && point.spinning.contains(thread)
            {
                self.rounds += 1;
                self.lanes[lane] = Lane::Running;
                self.turn = Some(lane);
                return Choice::GoRound(thread);
            }
            if self.lanes[lane] == Lane::Blocked && self.waits_for_timer(point, lane) {
                self.timers += 1;
                self.lanes[lane] = Lane::Running;
                self.turn = Some(lane);
                return Choice::LetTimePass;
            }
        }
        if let Some((lane, thread)) = self.resumable(point) {
            self.lanes[lane] = Lane::Running;
            self.turn = Some(lane);
            return Choice::Run(thread);
        }
        if let Some(thread) = fixed_choice(point, &self.slot, &mut self.settled) {
            return Choice::Run(thread);
        }
        // While lanes run, the main thread only joins them.
        if Self::enabled(point, ThreadIndex::MAIN) {
            return Choice::Run(ThreadIndex::MAIN);
        }
        if let Some((lane, thread)) = self.startable(point) {
            // The second half of a call comes after others may run; it is no overlap if it starts while they are
            // blocked.
            let begins = point.pending[thread.index()]
                .is_none_or(|pending| pending.action != Action::CallHold);
            self.overlapped |= begins && self.lanes.contains(&Lane::Blocked);
            self.lanes[lane] = Lane::Entering;
            self.turn = Some(lane);
            self.timers = 0;
            self.rounds = 0;
            return Choice::Run(self.follow(point, lane).unwrap_or(thread));
        }
        Choice::Run(point.enabled.first().unwrap_or(ThreadIndex::MAIN))
    }

    fn value(&mut self, _alternatives: u16) -> u16 {
        0
    }

    fn memory_model(&self) -> Option<MemoryModel> {
        Some(MemoryModel::Sc)
    }

    fn seed(&mut self) -> u64 {
        0
    }

    fn end(&mut self, _record: &ExecutionRecord) {}
}
