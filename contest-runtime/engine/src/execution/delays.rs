//! The delay of an execution: one thread is held up once, and the others go on meanwhile.

use std::time::Duration;

use super::machine::Machine;
use crate::memory::set_user_code;
use contest_data::circumstances::Circumstances;
use contest_data::decision::ThreadSet;
use contest_data::delay::{Delay, DelayPoint, HELD_UP};
use contest_data::limits::DEFAULT_TICK;
use contest_data::trace::{Action, ObjectId, ThreadIndex};

/// The delay of the present execution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delaying {
    /// It is still to come, at this point.
    due: Option<Delay>,
    /// Steps after which it begins; none has so many if it begins at none.
    pub at_step: u32,
    /// The thread that is held up at present, if one is.
    pub held: ThreadSet,
    /// Since then.
    since: Duration,
    /// Until then.
    until: Duration,
}

/// A thread that is held up not longer than this after another one's wait is over goes on beside that one.
const BESIDE: Duration = Duration::from_millis(2);

/// Looks of a thread, after those at which the clock stands still, from which on the clock moves at each.
const STANDSTILL: u32 = 1_000;

impl Delaying {
    pub(super) const NONE: Self = Self {
        due: None,
        at_step: u32::MAX,
        held: ThreadSet::EMPTY,
        since: Duration::ZERO,
        until: Duration::ZERO,
    };

    pub(super) fn of(delay: Option<Delay>) -> Self {
        let at_step = match delay {
            Some(Delay {
                at: DelayPoint::Step(step, _),
                ..
            }) => step,
            _ => u32::MAX,
        };
        Self {
            due: delay,
            at_step,
            ..Self::NONE
        }
    }
}

impl Machine {
    /// A thread is held up from here on, if this is the place. Each thread has published its next step.
    pub(super) fn hold_up(&mut self) {
        if self.record.steps < self.delaying.at_step || self.is_unwinding() {
            return;
        }
        self.delaying.at_step = u32::MAX;
        if let Some(delay) = self.delaying.due.take()
            && let DelayPoint::Step(_, thread) = delay.at
            && usize::from(thread) < self.live
        {
            let thread = ThreadIndex(thread.into());
            // The stack at present may be that of another thread.
            let notes_callers = std::mem::take(&mut self.notes_callers);
            let running = std::mem::replace(&mut self.running, thread);
            self.note_delay(delay);
            self.running = running;
            self.notes_callers = notes_callers;
            self.delaying.held = ThreadSet::only(thread);
            self.delaying.since = self.clock;
            self.delaying.until = self.clock.saturating_add(delay.length());
            self.slow_path.insert(thread);
            if self.has_left(thread) {
                let end = self.objects.end(thread);
                self.refresh(end);
            }
        }
    }

    /// True if the thread has ended, or is held up while it drops its thread-locals, for which a scope does not wait.
    pub(super) fn has_left(&self, thread: ThreadIndex) -> bool {
        let slot = &self.threads[thread.index()];
        slot.ended || slot.drops_locals && self.delaying.held.contains(thread)
    }

    /// The clock is read: the process is held up before, if this is the place. How far the clock moves by that.
    pub(super) fn moved_clock(&mut self) -> Duration {
        let reading = self.record.readings;
        self.record.readings += 1;
        if let Some(delay) = self.delaying.due
            && delay.at == DelayPoint::Reading(reading)
        {
            self.delaying.due = None;
            let side = set_user_code(false);
            self.note_delay(delay);
            set_user_code(side);
            return delay.length();
        }
        let slot = self.me();
        slot.looks = slot.looks.saturating_add(1);
        let looks = slot.looks;
        let Circumstances { still, tick, .. } = self.circumstances;
        if looks <= still {
            return Duration::ZERO;
        }
        self.record.clock_moved = true;
        // A loop that waits for the clock ends, also where looking at it takes no time.
        if looks - still > STANDSTILL {
            return tick.max(DEFAULT_TICK);
        }
        tick
    }

    fn note_delay(&mut self, delay: Delay) {
        let at = self.record.events.len();
        self.record.delayed = Some(at as u32);
        self.commit(Action::Sleep, ObjectId::NONE, HELD_UP, 0, delay.ms.into());
    }

    /// No thread but the one that is held up can run. The thread whose time passes before the delay is over; else the
    /// delay is, and those that can run are given. Steps take no time here, but some on a machine: a delay that ends
    /// just after another thread's wait ends between two steps of that thread.
    pub(super) fn while_held_up(&mut self) -> ThreadSet {
        let Delaying {
            held, since, until, ..
        } = self.delaying;
        let sleeper = self.earliest_deadline(|thread: ThreadIndex| !held.contains(thread));
        if let Some((sleeper, deadline)) = sleeper
            && deadline < until
        {
            let meanwhile = deadline
                .saturating_sub(since)
                .as_nanos()
                .div_ceil(1_000_000);
            let meanwhile = u16::try_from(meanwhile).unwrap_or(u16::MAX);
            self.record.over_meanwhile.get_or_insert(meanwhile);
            if until - deadline <= BESIDE {
                self.delaying.held = ThreadSet::EMPTY;
            }
            self.last_resort = true;
            return ThreadSet::only(sleeper);
        }
        self.delaying.held = ThreadSet::EMPTY;
        self.clock = self.clock.max(until);
        self.enabled & !self.spinning
    }
}
