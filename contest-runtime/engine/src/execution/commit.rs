//! What an executed operation leaves behind: an event, and what it means for those who spin.

use super::current::executed as executed_by_running;
use super::layer::stack_of_caller_in;
use super::machine::{Machine, NOT_SYNCHRONISED};
use super::spinning::UNLOGGED;
use super::virtual_thread::Gate;
use crate::happens_before::Synchronisation;
use crate::memory::set_user_code;
use crate::object::MOST_THREADS;
use contest_data::trace::{Action, Event, ObjectId, Pending, ThreadIndex};

/// Effects of an operation on its object, as numbers because they are known when the engine is compiled: it has none,
/// or has none to speak of.
pub(super) const NEITHER: u8 = 0;
/// It leaves its object as it was.
pub(super) const READS: u8 = 1;
/// It may have changed its object.
pub(super) const WRITES: u8 = 2;

impl Machine {
    /// Starts to execute the published operation: called when it is this thread's turn.
    pub(super) fn begin_commit(&mut self) {
        if !self.slow_path.is_empty() {
            self.begin_slow_commit();
        }
        if !matches!(self.me().gate, Gate::Open) {
            self.leave_gate();
        }
    }

    /// As `begin_commit`, for an operation without a gate.
    #[inline(always)]
    pub(super) fn begin_open_commit(&mut self) {
        if !self.slow_path.is_empty() {
            self.begin_slow_commit();
        }
    }

    /// Takes the thread out of the sets for which a decision takes the slow path.
    #[inline(never)]
    fn begin_slow_commit(&mut self) {
        let others = !self.running_bit();
        self.threads[self.running.index()].exchange = None;
        self.conditional &= others;
        self.unwinding &= others;
        self.timed &= others;
        self.interruptible &= others;
        self.wakes_spuriously &= others;
        self.spinning &= others;
        self.resting &= others;
        self.slow_path &= others | self.reluctant;
    }

    #[inline(never)]
    pub(super) fn leave_gate(&mut self) {
        self.unconcern();
        self.me().gate = Gate::Open;
        // It was not if its time was up.
        self.enabled |= self.running_bit();
    }

    /// Records an executed operation.
    #[inline]
    pub(super) fn commit(
        &mut self,
        action: Action,
        object: ObjectId,
        name: &'static str,
        read: u64,
        wrote: u64,
    ) {
        self.commit_pair(action, object, ObjectId::NONE, name, read, wrote);
    }

    /// Records an executed operation that changes a second object too.
    #[inline(never)]
    pub(super) fn commit_pair(
        &mut self,
        action: Action,
        object: ObjectId,
        second: ObjectId,
        name: &'static str,
        read: u64,
        wrote: u64,
    ) {
        let pending = Pending {
            action,
            object,
            second,
            name,
            check: 0,
        };
        if object == ObjectId::NONE {
            self.record_event::<NEITHER>(pending, read, wrote);
        } else if only_reads(action) {
            self.record_event::<READS>(pending, read, wrote);
        } else {
            self.record_event::<WRITES>(pending, read, wrote);
        }
        if depends_on_object(action) {
            self.synchronise();
        }
    }

    /// Records that what was published was executed, with this effect on its object.
    #[inline(always)]
    pub(super) fn commit_pending<const EFFECT: u8>(&mut self, read: u64, wrote: u64) {
        match self.pending[self.running.index() % MOST_THREADS] {
            Some(pending) => self.record_event::<EFFECT>(pending, read, wrote),
            None => nothing_published(),
        }
    }

    /// Records that what was published was executed, and that it turned out to be `action`.
    pub(super) fn commit_as(&mut self, action: Action, read: u64, wrote: u64) {
        let Some(pending) = self.pending[self.running.index() % MOST_THREADS] else {
            return nothing_published();
        };
        let Pending {
            object,
            second,
            name,
            ..
        } = pending;
        self.commit_pair(action, object, second, name, read, wrote);
    }

    /// Brings the clocks up to date. They are computed on demand: most executions have no plain access.
    #[inline]
    pub(in crate::execution) fn synchronise(&mut self) {
        if self.synchronised != self.record.events.len() {
            self.synchronise_events();
        }
    }

    /// The clocks at present.
    #[inline]
    pub(super) fn synchronisation(&mut self) -> &mut Synchronisation {
        self.synchronise();
        &mut self.synchronisation
    }

    #[inline(never)]
    fn synchronise_events(&mut self) {
        if self.synchronised == NOT_SYNCHRONISED {
            self.synchronisation.reset();
            self.synchronised = 0;
        }
        // Events of the teardown are taken back.
        let new = self.synchronised.min(self.record.events.len());
        if self.noted.is_empty() {
            for event in &self.record.events[new..] {
                self.synchronisation.perform(event, &self.objects);
            }
        } else {
            self.synchronise_noted(new);
        }
        self.synchronised = self.record.events.len();
    }

    #[inline(always)]
    fn record_event<const EFFECT: u8>(&mut self, executed: Pending, read: u64, wrote: u64) {
        let running = self.running;
        let thread = self.me();
        let event = Event {
            thread: running,
            index: thread.executed,
            call: thread.call,
            action: executed.action,
            object: executed.object,
            second: executed.second,
            location: thread.location,
            name: executed.name,
            read,
            wrote,
        };
        thread.executed += 1;
        let spin = &mut thread.spin;
        executed_by_running(EFFECT == READS);
        let may_repeat = match EFFECT {
            READS if spin.count < UNLOGGED => {
                spin.count += 1;
                false
            }
            READS => true,
            WRITES => {
                spin.progressed();
                false
            }
            _ => false,
        };
        self.record.events.push(event);
        self.record.steps += 1;
        if self.has_harness | self.notes_callers {
            self.note_step();
        }
        if may_repeat {
            self.note_repeated_read();
        }
        if EFFECT == WRITES {
            let state = self.objects.get_mut(executed.object);
            state.version = state.version.wrapping_add(1);
            if !state.spinners.is_empty() {
                self.wake_spinners(executed.object);
            }
        }
    }

    /// Notes that a thread which the harness did not start takes a step beside those that it did, and the call stack of
    /// the step if these are wanted.
    #[inline(never)]
    fn note_step(&mut self) {
        if self.notes_callers {
            let side = set_user_code(false);
            if let Some(caller) = stack_of_caller_in(self) {
                let event = self.record.events.len() - 1;
                self.record.callers.push((event as u32, caller));
            }
            set_user_code(side);
        }
        if self.has_harness
            && !self.harness.contains(self.running)
            && self.running != ThreadIndex::MAIN
        {
            self.record.background_steps = true;
        }
    }

    /// The first reads of a round are not logged: most rounds have no more. Now they are.
    #[inline(never)]
    fn note_repeated_read(&mut self) {
        let newest = self.record.events.len() - 1;
        self.log_reads(newest);
        let Event {
            object,
            action,
            read,
            location,
            ..
        } = self.record.events[newest];
        let version = self.objects.get(object).version;
        let thread = self.me();
        let repeats = thread.spin.read(object, version, action, read, location);
        // Code that walks over memory reads it again and again without waiting for anything.
        if repeats && action != Action::PlainRead {
            thread.spin.repeats = true;
            self.slow_path |= self.running_bit();
        }
    }

    /// Logs what the running thread read in this round, if it has not been logged; `before`: among the events before
    /// this one.
    pub(super) fn log_reads(&mut self, before: usize) {
        let running = self.running;
        let spin = &mut self.threads[running.index()].spin;
        if spin.logged || spin.count == 0 {
            return;
        }
        let events = &self.record.events[..before];
        let own_read = |event: &Event| {
            event.thread == running && event.object != ObjectId::NONE && only_reads(event.action)
        };
        let mut first = before;
        for _ in 0..spin.count {
            let earlier = events[..first].iter().rposition(own_read);
            first = earlier.expect("every read that was counted is on record");
        }
        spin.logged = true;
        spin.count = 0;
        for (index, event) in events.iter().enumerate().skip(first) {
            if own_read(event) {
                let since = events[index..]
                    .iter()
                    .filter(|other| other.object == event.object && !only_reads(other.action));
                let version = self.objects.get(event.object).version;
                let version = version.wrapping_sub(since.count() as u32);
                let repeats = spin.read(
                    event.object,
                    version,
                    event.action,
                    event.read,
                    event.location,
                );
                debug_assert!(!repeats, "so few reads cannot be a repetition");
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn wake_spinners(&mut self, object: ObjectId) {
        let others = !self.running_bit();
        let waiting = self.objects.get(object).spinners & others;
        let spinners = waiting & !self.not_concerned(waiting);
        let state = self.objects.get_mut(object);
        state.spinners &= !spinners;
        self.spinning &= !spinners;
        for thread in spinners {
            self.threads[thread.index()].poll.granted = 0;
        }
    }
}

/// True for operations whose meaning for the clocks is in the present state of their object, not in the event alone.
#[inline]
fn depends_on_object(action: Action) -> bool {
    matches!(
        action,
        Action::Send(..)
            | Action::SendTaken(_)
            | Action::Receive(..)
            | Action::Endpoint
            | Action::BarrierArrive
    )
}

/// True for operations that leave their object as it was.
#[inline]
fn only_reads(action: Action) -> bool {
    matches!(
        action,
        Action::Load(_)
            | Action::CasFail(_)
            | Action::TryAcquire(_, false)
            | Action::Arrive(false)
            | Action::PlainRead
            | Action::OncePeek(_)
            | Action::Yield
            | Action::Receive(_, false)
            | Action::Send(_, false)
    )
}

#[cold]
fn nothing_published() {
    debug_assert!(false, "an operation is published before it is recorded");
}
