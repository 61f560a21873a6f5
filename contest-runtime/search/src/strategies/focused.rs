//! Restricts a strategy to the concurrent part of a test, while its lanes run. Before and after, one fixed order is
//! enough; otherwise a constructor that starts threads would use up the budget with their interleavings.

use std::panic::Location;
use std::rc::Rc;

use super::dependence::{Class, Operation, is_quiet};
use crate::coverage::FastMap;
use contest_data::decision::{Choice, DecisionPoint, MemoryPoint, Strategy, Traces};
use contest_data::gap::{Gap, Gaps};
use contest_data::limits::{Leeway, MemoryModel};
use contest_data::test::TestSlot;
use contest_data::trace::{
    Action, Event, ExecutionRecord, ObjectId, Pending, ThreadIndex, ThreadSet,
};

/// Most steps for background threads to become quiescent, before the lanes start and after they have ended.
const SETTLING: u32 = 1_000;

/// How far background threads have become quiescent in an execution.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settled {
    /// Steps that they got before the lanes started.
    before: u32,
    /// Steps that they got after the lanes had ended.
    after: u32,
    /// After the lanes had ended they were quiescent, or the main thread has gone on: it looks at what is left.
    over: bool,
}

/// A strategy that decides only while lanes run.
pub struct Focused<'a> {
    inner: &'a mut dyn Strategy,
    slot: Rc<TestSlot>,
    settled: Settled,
    /// Background threads go first whenever they can.
    background_first: bool,
    /// The last decision was not the inner strategy's.
    fixed: bool,
    /// Another thread could have been chosen there.
    decided: bool,
    /// Another value was possible there.
    chose: bool,
    /// Random numbers were drawn there.
    drew: bool,
}

impl std::fmt::Debug for Focused<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Focused")
            .field("slot", &self.slot)
            .field("settled", &self.settled)
            .finish_non_exhaustive()
    }
}

impl<'a> Focused<'a> {
    /// `inner`, for one execution of the test in the slot.
    #[must_use]
    pub fn new(inner: &'a mut dyn Strategy, slot: Rc<TestSlot>) -> Self {
        Self {
            inner,
            slot,
            settled: Settled::default(),
            background_first: false,
            fixed: true,
            decided: false,
            chose: false,
            drew: false,
        }
    }

    /// What the inner strategy could not choose in this execution, which has this record.
    #[must_use]
    pub fn not_chosen(&self, record: &ExecutionRecord) -> Gaps {
        let ordered = self.chose || self.decided && self.background_meets_others(&record.events);
        let background = ordered.then_some(Gap::Background);
        let random = self.drew.then_some(Gap::Randomness(1));
        background.into_iter().chain(random).collect()
    }

    /// True if a step of a background thread does not commute with one of another thread. What came before the first of
    /// them was started is before all of their steps in any case.
    fn background_meets_others(&self, events: &[Event]) -> bool {
        let known = lanes(&self.slot) | ThreadSet::MAIN;
        let is_background = |thread| !known.contains(thread);
        let mut events = events.iter();
        let starts =
            |it: &&Event| matches!(it.action, Action::Spawn(child) if is_background(child));
        if events.find(starts).is_none() {
            return false;
        }
        let mut met: FastMap<ObjectId, Vec<(ThreadIndex, Class)>> = FastMap::default();
        for event in events.filter(|it| !is_quiet(it.action)) {
            let thread = event.thread;
            let accesses = Operation::executed(event, false).accesses.into_iter();
            for (object, class) in accesses.filter(|&(object, _)| object != ObjectId::NONE) {
                let before = met.entry(object).or_default();
                let meets = |&(other, its): &(ThreadIndex, Class)| {
                    other != thread
                        && (is_background(other) || is_background(thread))
                        && class.conflicts(its)
                };
                if before.iter().any(meets) {
                    return true;
                }
                if !before.contains(&(thread, class)) {
                    before.push((thread, class));
                }
            }
        }
        false
    }

    /// While lanes run, background threads go first whenever they can, so that they are at rest at each step of a lane.
    #[must_use]
    pub fn background_first(self, background_first: bool) -> Self {
        Self {
            background_first,
            ..self
        }
    }
}

impl Strategy for Focused<'_> {
    fn begin(&mut self) -> bool {
        self.inner.begin()
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        let mut fixed = fixed_choice(point, &self.slot, &mut self.settled);
        if self.background_first && fixed.is_none() {
            fixed = background(point, &self.slot);
        }
        self.fixed = fixed.is_some();
        // Lanes that have started only wait for the others.
        self.decided |= self.fixed && (point.enabled & !lanes(&self.slot)).has_several();
        match fixed {
            // The inner strategy sees every decision point, but has no choice here.
            Some(thread) => self.inner.thread(&DecisionPoint {
                enabled: ThreadSet::only(thread),
                ..*point
            }),
            None => self.inner.thread(point),
        }
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        let chooses_end = self.slot.chooses_end() && !self.background_first;
        if self.fixed && !chooses_end {
            self.chose = true;
            0
        } else {
            self.inner.value(alternatives)
        }
    }

    fn memory(&mut self, point: &MemoryPoint<'_>) -> Option<u16> {
        self.inner.memory(point)
    }

    fn knows_memory(&mut self, events: &[Event], thread: ThreadIndex) -> bool {
        self.inner.knows_memory(events, thread)
    }

    fn goes_on(
        &mut self,
        events: &[Event],
        thread: (ThreadIndex, Pending),
        place: &'static Location<'static>,
    ) -> bool {
        self.inner.goes_on(events, thread, place)
    }

    fn fails_spuriously(&mut self) -> bool {
        self.inner.fails_spuriously()
    }

    fn memory_model(&self) -> Option<MemoryModel> {
        self.inner.memory_model()
    }

    fn leeway(&self) -> Leeway {
        self.inner.leeway()
    }

    fn seed(&mut self) -> u64 {
        if self.fixed {
            self.drew = true;
            0
        } else {
            self.inner.seed()
        }
    }

    fn end(&mut self, record: &ExecutionRecord) {
        self.inner.end(record);
    }

    fn exhausted(&self) -> bool {
        self.inner.exhausted()
    }

    fn gaps(&self) -> &Gaps {
        self.inner.gaps()
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        self.inner.counts()
    }

    fn traces(&self) -> Option<Traces> {
        self.inner.traces()
    }
}

/// The next thread before the lanes run and after they have ended: the main thread or, where it waits, a background
/// thread. Background threads become quiescent before the first lane starts, and when the last one has ended. `None`
/// while lanes run, and after that where the objects end at once.
pub(super) fn fixed_choice(
    point: &DecisionPoint<'_>,
    slot: &TestSlot,
    settled: &mut Settled,
) -> Option<ThreadIndex> {
    let ended = |thread: u16| {
        point
            .pending
            .get(usize::from(thread))
            .is_none_or(Option::is_none)
    };
    let lanes_ended = slot.all_started() && slot.threads().all(ended);
    if slot.all_started() && (!lanes_ended || slot.ends_at_once()) {
        return None;
    }
    let main = point.enabled.contains(ThreadIndex::MAIN);
    let (settles, steps) = if lanes_ended {
        (!settled.over, &mut settled.after)
    } else {
        (
            slot.prefix_done() && !slot.any_started(),
            &mut settled.before,
        )
    };
    let settles = settles && *steps < SETTLING;
    if (!main || settles)
        && let Some(thread) = background(point, slot)
    {
        *steps += u32::from(settles);
        return Some(thread);
    }
    settled.over |= lanes_ended;
    Some(if main {
        ThreadIndex::MAIN
    } else {
        point.enabled.lowest()
    })
}

/// The threads of the lanes that have started.
fn lanes(slot: &TestSlot) -> ThreadSet {
    slot.threads().map(ThreadIndex).collect()
}

/// An enabled background thread that does not spin: the current one, else the one with the lowest number.
pub(super) fn background(point: &DecisionPoint<'_>, slot: &TestSlot) -> Option<ThreadIndex> {
    let able = point.enabled & !point.spinning & !lanes(slot) & !ThreadSet::MAIN;
    if able.contains(point.current) {
        return Some(point.current);
    }
    able.first()
}
