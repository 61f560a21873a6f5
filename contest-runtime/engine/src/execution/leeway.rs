//! Events beyond the ordinary in an execution: timed waits that end early, and threads that go on although they read
//! the same again and again. Those that had no leave to happen are noted.

use std::time::Duration;

use super::current::StrategyPointer;
use super::delays::Delaying;
use super::machine::Machine;
use super::virtual_thread::Gate;

use contest_data::decision::ThreadSet;
use contest_data::gap::Gap;
use contest_data::limits::{Leeway, Timeouts};
use contest_data::trace::{Action, Drawn, Event, LeftOut, ThreadIndex};

/// A thread that can run is never delayed for so long: timed waits that take longer do not end before it goes on.
pub(super) const LATEST: Duration = Duration::from_secs(3600);

impl Machine {
    /// Those of these waiting threads whose time may be over although others can run.
    pub(super) fn may_end_early(&self, timed: ThreadSet) -> ThreadSet {
        let mut early = timed;
        for thread in timed {
            if self.threads[thread.index()].patience > LATEST {
                early &= !ThreadSet::only(thread);
            }
        }
        early
    }

    /// The execution draws random numbers from this source.
    pub(super) fn note_drawn(&mut self, drawn: Drawn) {
        self.record.drawn = self.record.drawn.max(drawn);
    }

    /// Sets what the strategy allows beyond the ordinary.
    pub(super) fn reset_leeway(&mut self) {
        let mut leeway = self
            .strategy
            .map_or_else(Leeway::default, StrategyPointer::leeway);
        if self.limits.timeouts != Timeouts::Few {
            leeway.early_ends = 0;
        }
        self.timeouts_left = match self.limits.timeouts {
            Timeouts::Choice(times) => times,
            Timeouts::LastResort | Timeouts::Few => u32::from(leeway.early_ends),
        };
        self.timeouts_are_choices = self.timeouts_left > 0;
        self.delaying = Delaying::of(leeway.delay);
        self.draws = self.circumstances.draws + u64::from(leeway.draw);
        self.record.schedule.leeway = leeway;
        #[cfg(feature = "driver")]
        crate::black_box::execution_is(self.weak.on, leeway);
    }

    /// False if no other thread can do anything beside the running one, in any order: all others wait for the end of a
    /// thread and have done nothing but start threads since this one was there, or those of the test are over.
    pub(super) fn may_be_beside_others(&self) -> bool {
        let me = self.running;
        let over = |thread: ThreadIndex| self.threads[thread.index()].ended;
        if self.has_harness && me == ThreadIndex::MAIN && self.harness.into_iter().all(over) {
            return false;
        }
        let mut threads = self.threads[..self.live].iter().enumerate();
        let others_go_on = threads.any(|(index, other)| {
            let waits = matches!(other.gate, Gate::Join(_) | Gate::Leave(_));
            index != me.index() && !other.ended && !waits
        });
        let since = self.threads[me.index()].born as usize;
        let does_nothing = |event: &Event| {
            use Action::{Begin, End, Join, Spawn};
            event.thread == me || matches!(event.action, Begin | End | Join(_) | Spawn(_))
        };
        others_go_on || !self.record.events[since..].iter().all(does_nothing)
    }

    /// A timed wait could have ended early and had no leave to.
    pub(super) fn leave_out_early_ends(&mut self) {
        self.record.left_out |= LeftOut::EARLY_ENDS;
        if self.limits.timeouts != Timeouts::Few {
            self.record.left_out |= LeftOut::BY_LIMITS;
            self.record.gaps.add(Gap::Timeouts);
        }
    }

    /// The running thread gives way: it spins if it goes round a loop and nothing it read in the last round has
    /// changed.
    pub(super) fn mark_spinning(&mut self, gives_way: bool) {
        if gives_way && self.polls_in_vain() {
            self.yielded = true;
            return;
        }
        let bit = self.running_bit();
        self.log_reads(self.record.events.len());
        let thread = &mut self.threads[self.running.index()];
        let spin = &mut thread.spin;
        let loops = spin.ends_round(thread.location) | std::mem::take(&mut spin.repeats);
        let alike = std::mem::take(&mut spin.alike);
        let reads = spin.last_reads();
        let stale = loops
            && !reads.is_empty()
            && reads
                .iter()
                .all(|&(object, version)| self.objects.get(object).version == version);
        if stale && !alike && !self.weak.on && self.is_let_go() {
            self.me().spin.yielded();
            self.yielded = gives_way;
            return;
        }
        let stale = stale && !self.goes_on();
        let behind = stale && self.is_behind();
        let spin = &mut self.threads[self.running.index()].spin;
        if behind {
            spin.catch_up = spin.reads.len() as u32;
        } else if stale {
            spin.waits_on.clear();
            for &(object, _) in &spin.reads {
                spin.waits_on.push(object);
                self.objects.get_mut(object).spinners |= bit;
            }
            self.spinning |= bit;
            self.slow_path |= bit;
        }
        spin.yielded();
        self.yielded = true;
    }

    /// The running thread repeats itself in a loop that may have an end of its own: true if it goes on.
    fn is_let_go(&mut self) -> bool {
        let most = u32::from(self.record.schedule.leeway.rounds);
        let spin = &mut self.threads[self.running.index()].spin;
        let goes_on = spin.let_go < most;
        if goes_on {
            spin.let_go += 1;
        } else {
            self.record.left_out |= LeftOut::LOOPS;
        }
        goes_on
    }
}
