//! Which thread runs next: the strategy is consulted at every visible operation, and its choice is recorded.

use std::time::Duration;

use super::coroutine::Fiber;
use super::machine::Machine;
use super::virtual_thread::{Gate, ThreadPlaces};
use crate::object::MOST_THREADS;
use contest_data::decision::{Choice, DecisionPoint, ThreadSet};
use contest_data::decision::{any, any_of};
use contest_data::limits::{DEFAULT_TICK, OUT_OF_TIME};
use contest_data::trace::{Action, Decision, Drawn, Ending, LockMode, ThreadIndex, Update};

impl Machine {
    /// Picks the next thread; true if it is the running one.
    #[inline(never)]
    pub(super) fn decide(&mut self) -> bool {
        self.decide_inline()
    }

    /// As `decide`, where every call counts: a walk that chooses among few threads, none of which does anything
    /// unusual.
    #[inline(always)]
    pub(super) fn decide_inline(&mut self) -> bool {
        if !self.slow_path.is_empty()
            || self.record.steps >= self.walk_gate
            || std::thread::panicking()
        {
            return self.decide_with_strategy();
        }
        // Below the gate there are no more threads than that.
        let low = self.enabled.mask();
        let rest = low & low.wrapping_sub(1);
        let running_bit = 1_u64 << (self.running.0 & 63);
        if rest == 0 {
            if low == 0 {
                return self.decide_generally();
            }
            self.yielded = false;
            self.next = ThreadIndex(low.trailing_zeros() as u16);
            return low == running_bit;
        }
        let Some(mut walk) = self.walk else {
            return self.decide_with_strategy();
        };
        // SAFETY: the strategy lives as long as the execution and is not used while there is a walk.
        let chosen = any_of(low, unsafe { walk.as_mut() });
        self.note_decision_for(chosen);
        let stays = chosen == self.running;
        let preempts = !stays & (low & running_bit != 0) & !self.yielded;
        self.record.preemptions += u32::from(preempts);
        self.yielded = false;
        self.next = chosen;
        // What is drawn cannot be predicted: to hand over to oneself costs less than a branch that is wrong every
        // second time.
        stays & !Fiber::HANDS_OVER
    }

    /// As `decide`, for any strategy.
    #[inline(never)]
    fn decide_with_strategy(&mut self) -> bool {
        if self.weak.on && !self.weak.orderings.is_empty() {
            self.change_published();
        }
        let enabled = self.enabled;
        if !self.slow_path.is_empty()
            || enabled.is_empty()
            || self.record.steps >= self.step_gate
            || std::thread::panicking()
        {
            return self.decide_generally();
        }
        let choice = enabled.has_several();
        if !choice && !self.needs_forced_points {
            self.yielded = false;
            self.next = enabled.lowest();
            return enabled == self.running_bit();
        }
        let chosen = match self.walk {
            // SAFETY: the engine borrows the strategy, whose generator this is, for the whole execution, and consults
            // none while it draws.
            Some(mut walk) if choice => any(enabled, unsafe { walk.as_mut() }),
            _ => self.strategy_choice(enabled),
        };
        if choice {
            self.note_choice(chosen);
        }
        let stays = chosen == self.running;
        if !stays && enabled.contains(self.running) && !self.yielded {
            self.record.preemptions += 1;
        }
        self.yielded = false;
        self.next = chosen;
        stays & !self.over
    }

    /// As `decide`, for every case: threads that spin, wait with a deadline, unwind or are about to do what depends on
    /// the state they find; the end of the execution; no enabled thread.
    #[inline(never)]
    fn decide_generally(&mut self) -> bool {
        if self.over {
            return false;
        }
        if self.me().spin.repeats {
            self.mark_spinning(false);
        }
        if self.reluctant.contains(self.running) {
            self.end_reluctance();
        }
        self.hold_up();
        if self.record.steps - self.steps_forgiven >= self.limits.steps {
            self.finish(Ending::StepLimit(self.limits.steps));
            return false;
        }
        if self.record.steps >= self.step_gate && self.is_out_of_time() {
            let seconds = self.limits.time.unwrap_or_default().as_secs();
            let text = format!("{OUT_OF_TIME} {seconds} s");
            self.finish(Ending::Unsupported(text));
            return false;
        }
        let mut candidates = self.enabled & !self.spinning & !self.delaying.held;
        let restless = candidates & !self.resting;
        let eager = candidates & !self.reluctant;
        if !eager.is_empty() {
            candidates = eager;
        }
        let timed = self.may_end_early(self.timed & !self.enabled & !self.delaying.held);
        if self.timeouts_left > 0 {
            candidates |= timed;
        } else if !timed.is_empty() && !candidates.is_empty() {
            self.leave_out_early_ends();
        }
        let awake = candidates;
        if self.spurious_left > 0 {
            candidates |= self.wakes_spuriously & !self.enabled;
        }
        if !self.resting.is_empty() && !restless.is_empty() {
            // What comes to rest does so in one order.
            candidates = ThreadSet::only(restless.lowest());
        }
        if candidates.is_empty() && !self.delaying.held.is_empty() {
            candidates = self.while_held_up();
        }
        if candidates.is_empty() {
            match self.last_resort() {
                Some(set) => candidates = set,
                None => return false,
            }
            self.last_resort = true;
        }
        let running = self.running;
        let unwinds = self.is_unwinding();
        let chosen = if candidates.contains(running) && unwinds {
            // The panic count is the OS thread's: no other thread runs while this one unwinds, unless it is blocked.
            running
        } else {
            self.refresh_conditional();
            self.consult(candidates)
        };
        let lets_time_pass = std::mem::take(&mut self.lets_time_pass);
        let by_choice = !std::mem::take(&mut self.last_resort) && !lets_time_pass;
        if self.over {
            return false;
        }
        // Not waking would have been possible too, and a deadlock or a timeout.
        self.record.woken_as_last_resort |= awake.is_empty() && by_choice;
        if chosen != self.running && candidates.contains(running) && !self.yielded {
            self.record.preemptions += 1;
        }
        if !self.enabled.contains(chosen) {
            let beside = !lets_time_pass && candidates != ThreadSet::only(chosen);
            let early = beside && self.ends_early(chosen, candidates);
            self.end_wait(chosen, by_choice, beside, early);
        }
        if unwinds && chosen != self.running {
            self.gives_way_unwinding();
        }
        self.yielded = false;
        self.next = chosen;
        self.reluctant &= ThreadSet::only(chosen);
        chosen == self.running
    }

    /// One of the candidates; recorded if there are several.
    fn consult(&mut self, candidates: ThreadSet) -> ThreadIndex {
        let choice = candidates.has_several();
        let chosen = match self.walk {
            // SAFETY: the engine borrows the strategy, whose generator this is, for the whole execution, and consults
            // none while it draws.
            Some(mut walk) if choice => any(candidates, unsafe { walk.as_mut() }),
            Some(_) => candidates.lowest(),
            None => self.strategy_choice(candidates),
        };
        if choice {
            self.note_choice(chosen);
        }
        chosen
    }

    /// The choice of the strategy.
    #[inline(never)]
    fn strategy_choice(&mut self, candidates: ThreadSet) -> ThreadIndex {
        let point = DecisionPoint {
            events: &self.record.events,
            current: self.running,
            enabled: candidates,
            pending: &self.pending[..self.live],
            spinning: self.spinning,
            interruptible: self.interruptible,
            timed: self.timed & !self.enabled,
            last_resort: self.last_resort,
            yielded: self.yielded,
            places: &ThreadPlaces(&self.threads),
        };
        let strategy = self.strategy.expect("an execution has a strategy");
        match strategy.thread(&point) {
            Choice::Run(chosen) if candidates.contains(chosen) => chosen,
            Choice::LetTimePass if let Some((sleeper, _)) = self.earliest_deadline(|_| true) => {
                self.lets_time_pass = true;
                sleeper
            }
            Choice::GoRound(spinner) if self.spinning.contains(spinner) => {
                self.go_round(spinner);
                spinner
            }
            other => self.refused(other),
        }
    }

    /// The strategy gave no thread that can run.
    #[cold]
    #[inline(never)]
    fn refused(&mut self, choice: Choice) -> ThreadIndex {
        match choice {
            Choice::Run(thread) | Choice::GoRound(thread) => self.finish(Ending::Unsupported(
                format!("the strategy chose thread {}, which cannot run", thread.0),
            )),
            Choice::LetTimePass => self.finish(Ending::Unsupported(
                "the strategy let time pass, and no thread waits for that".to_owned(),
            )),
            Choice::Abandon => self.finish(Ending::Abandoned),
        }
        self.running
    }

    /// What a compare-exchange or a try-operation will do is known only now.
    fn refresh_conditional(&mut self) {
        for thread in self.conditional {
            let index = thread.index();
            let Some(pending) = &mut self.pending[index] else {
                continue;
            };
            pending.action = match pending.action {
                Action::Rmw(ordering, _) | Action::CasFail(ordering) => {
                    let Some(exchange) = self.threads[index].exchange else {
                        continue;
                    };
                    if self.weak.on {
                        // It depends on what it will read.
                        continue;
                    }
                    // SAFETY: the thread waits in an operation on this atomic, whose caller promised that it lives
                    // until the operation is over.
                    let now = unsafe { crate::memory::peek(exchange.address, exchange.size) };
                    if now == Some(exchange.expected) {
                        Action::Rmw(ordering, Update::Conditional)
                    } else {
                        Action::CasFail(ordering)
                    }
                }
                Action::TryAcquire(mode, _) => {
                    Action::TryAcquire(mode, self.objects.get(pending.object).admits(mode))
                }
                Action::Arrive(_) => {
                    let object = self.objects.get(pending.object);
                    Action::Arrive(object.admits(LockMode::Exclusive))
                }
                Action::Receive(blocking, _) => {
                    Action::Receive(blocking, self.objects.get(pending.object).count > 0)
                }
                Action::Send(blocking, _) => {
                    Action::Send(blocking, self.objects.get(pending.object).can_send())
                }
                other => other,
            };
        }
    }

    /// Picks one of several values.
    pub(super) fn choose_value(&mut self, alternatives: u16) -> u16 {
        let value = match self.walk {
            // SAFETY: the engine borrows the strategy, whose generator this is, for the whole execution, and consults
            // none while it draws.
            Some(mut walk) => unsafe { walk.as_mut() }.below(u32::from(alternatives)) as u16,
            None => {
                let strategy = self.strategy.expect("an execution has a strategy");
                strategy.value(alternatives).min(alternatives - 1)
            }
        };
        self.note_decision(Decision::Value(value), 0);
        value
    }

    /// The seed of this execution's random numbers; four decisions, so that a replay draws the same.
    pub(super) fn random_seed(&mut self) -> u64 {
        if let Some(seed) = self.seed {
            return seed;
        }
        self.note_drawn(Drawn::Numbers);
        let strategy = self.strategy.expect("an execution has a strategy");
        let seed = strategy.seed();
        // The strategy was used, so its generator is borrowed anew.
        self.walk = strategy.uniform();
        let draws = self.circumstances.draws;
        let seed = (seed ^ draws.wrapping_mul(0x9E37_79B9_7F4A_7C15)) & 0x7FFF_7FFF_7FFF_7FFF;
        for part in 0..4 {
            self.note_decision(Decision::Value((seed >> (16 * part)) as u16), 0);
        }
        self.seed = Some(seed);
        seed
    }

    #[inline(always)]
    fn note_choice(&mut self, chosen: ThreadIndex) {
        if !self.over {
            self.note_decision_for(chosen);
        }
    }

    #[inline(always)]
    fn note_decision_for(&mut self, chosen: ThreadIndex) {
        if self.has_harness && self.harness.contains(chosen) {
            let able = self.enabled & !self.spinning & !self.harness & !ThreadSet::MAIN;
            self.record.background_waited |= !able.is_empty();
        }
        let pending = self.pending[chosen.index() % MOST_THREADS].as_ref();
        let check = pending.map_or(0, |pending| pending.check);
        self.note_decision(Decision::Thread(chosen.0), check);
    }

    #[inline(always)]
    pub(super) fn note_decision(&mut self, decision: Decision, check: u8) {
        // Should the process die of what comes next, the decisions that led there outlive it.
        #[cfg(feature = "driver")]
        crate::black_box::decision(contest_data::protocol::black_box::encode(decision), check);
        self.record.schedule.decisions.push(decision);
        self.record.schedule.checks.push(check);
    }

    /// True if the timeout of a thread passes before it is due, although one of the candidates can run, or has one
    /// that passes sooner.
    fn ends_early(&self, thread: ThreadIndex, candidates: ThreadSet) -> bool {
        let Some(deadline) = self.threads[thread.index()].deadline else {
            return true;
        };
        let sooner = || {
            let first = self.earliest_deadline(|_| true);
            first.is_some_and(|(_, first)| first < deadline)
        };
        deadline > self.clock && (!(candidates & self.enabled).is_empty() || sooner())
    }

    /// Ends a wait without what the thread waits for: spuriously, or by its timeout.
    fn end_wait(
        &mut self,
        thread: ThreadIndex,
        by_choice: bool,
        others_could_run: bool,
        early: bool,
    ) {
        let timed = self.timed.contains(thread) && (!by_choice || self.timeouts_left > 0);
        let wakes_spuriously =
            by_choice && self.wakes_spuriously.contains(thread) && self.spurious_left > 0;
        if wakes_spuriously && (!timed || self.choose_value(2) == 1) {
            self.spurious_left -= 1;
        } else {
            self.timeouts_left -= u32::from(by_choice);
            self.fire_timeout(thread, others_could_run, early);
        }
        self.timed.remove(thread);
        self.wakes_spuriously.remove(thread);
    }

    fn fire_timeout(&mut self, thread: ThreadIndex, others_could_run: bool, early: bool) {
        self.record.early_timeout |= early;
        if early {
            self.record.ended_early.insert(thread);
        }
        let slot = &mut self.threads[thread.index()];
        slot.timed_out = true;
        if let Some(deadline) = slot.deadline {
            // A wait lasts a little longer than its limit: who looks then sees that it is over.
            let late = match self.circumstances.still {
                0 => Duration::ZERO,
                _ => DEFAULT_TICK,
            };
            let before = self.clock;
            self.clock = self.clock.max(deadline.saturating_add(late));
            if !others_could_run {
                self.passed += self.clock - before;
            }
        }
        if self.weak.on && !others_could_run {
            // A store reaches all threads before time passes that anyone notices.
            self.synchronisation().order_all();
        }
        self.record.early_sleep |= early && self.threads[thread.index()].gate == Gate::Never;
        let slot = &mut self.threads[thread.index()];
        if slot.call.is_some() {
            let call = &mut self.record.calls[slot.call_record];
            // A sleep is meant to last; any other wait is not.
            match slot.gate {
                Gate::Never => call.slept = true,
                _ => call.waited_out = slot.patience.max(call.waited_out),
            }
        }
    }
}
