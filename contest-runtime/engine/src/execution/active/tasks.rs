//! What futures need: a waker for each virtual thread, detached tasks, and controlled random numbers.

use std::panic::Location;
use std::time::Duration;

use super::{Active, Site, give_up, site, stop, tearing_down, wait_for_turn};
use crate::execution::current;
use crate::execution::layer::{stack_of_caller, stack_of_caller_in};
use crate::execution::virtual_thread::Gate;
use crate::memory::set_user_code;
use crate::object::MOST_THREADS;
use contest_data::circumstances::Circumstances;
use contest_data::rng::Rng;
use contest_data::subject::FutureUse;
use contest_data::trace::{Action, AwaitEnd, Drawn, Ending, ObjectId, Pending, Place, ThreadIndex};

impl Active {
    /// Creates a virtual thread for a task; otherwise as [`Active::spawn`]. The body owns what it uses and need not be
    /// `Send`: virtual threads run on one OS thread.
    #[track_caller]
    pub fn spawn_task<F: FnOnce() + 'static>(self, body: F) -> ThreadIndex {
        // SAFETY: the body borrows nothing.
        let thread = unsafe { self.spawn(Some("task"), body) };
        // Whether a task was aborted before it began makes a difference to it.
        let mut machine = current::machine();
        let waker = machine.objects.waker(thread);
        if let Some(Some(begin)) = machine.pending.get_mut(thread.index()) {
            begin.object = waker;
        }
        thread
    }

    /// True if the running task was aborted.
    #[must_use]
    pub fn is_aborted(self) -> bool {
        current::machine().me().task.aborted
    }

    /// Aborts the task that `thread` runs: wakes it, and it ends at its next poll.
    #[track_caller]
    pub fn abort(self, thread: ThreadIndex) {
        self.wake_to(thread, "abort", true, None);
    }

    /// Detaches this thread: no join waits for it, so it is no deadlock if it never ends.
    pub fn detach(self, thread: ThreadIndex) {
        if let Some(slot) = current::machine().threads.get_mut(thread.index()) {
            slot.task.detached = true;
        }
    }

    /// Ends the execution because the running task panicked and has no join handle that could receive the panic.
    pub fn task_panicked(self) {
        if tearing_down() {
            return;
        }
        let mut machine = current::machine();
        let panic = machine.last_panic_of(machine.running);
        machine.finish(Ending::Panicked(panic));
    }

    /// Wakes the future that `thread` runs. Waking oneself is nothing that others could see.
    #[track_caller]
    pub fn wake(self, thread: ThreadIndex) {
        self.wake_to(thread, "wake", false, None);
    }

    /// True if the future is lent, and nothing was woken.
    #[track_caller]
    fn wake_to(
        self,
        thread: ThreadIndex,
        name: &'static str,
        aborts: bool,
        poll: Option<u32>,
    ) -> bool {
        if tearing_down() || thread.index() >= current::machine().live {
            return false;
        }
        let mut machine = current::machine();
        if machine.running == thread {
            let task = &mut machine.me().task;
            task.woken_by_itself |= poll.is_none_or(|poll| poll == task.polls);
            task.aborted |= aborts;
            return false;
        }
        set_user_code(false);
        let site = Site::of(&mut machine, Action::Unpark, name, Location::caller());
        let object = machine.objects.waker(thread);
        let mut machine = stop(machine, Action::Unpark, object, site);
        let slot = &mut machine.threads[thread.index()];
        let newest = poll.is_none_or(|poll| poll == slot.task.polls);
        let lent = poll.is_some() && newest && slot.task.lent.is_some();
        let before = !newest || !lent && std::mem::replace(&mut slot.task.woken, true);
        slot.task.aborted |= aborts;
        machine.refresh(object);
        machine.commit(Action::Unpark, object, site.name, u64::from(before), 0);
        if poll.is_some() {
            let place = stack_of_caller_in(&mut machine);
            machine.note_event_place(place);
        }
        set_user_code(true);
        lent
    }

    /// Waits until the future that the running thread runs is woken. If it has woken itself, it gives way like a thread
    /// that yields.
    #[track_caller]
    pub fn wait_until_woken(self) {
        if tearing_down() {
            give_up();
        }
        let mut machine = current::machine();
        if machine.is_early_probe() {
            machine.finish_early_probe(false);
            drop(super::switch(machine));
            unreachable!("an execution that is over resumes no thread");
        }
        if std::mem::take(&mut machine.me().task.woken_by_itself) {
            let running = machine.running;
            let waker = machine.objects.waker(running);
            drop(machine);
            self.give_way("await", waker);
            let side = set_user_code(false);
            current::machine().note_await_place();
            set_user_code(side);
            return;
        }
        set_user_code(false);
        let site = site!("await", Action::Park(false));
        let running = machine.running;
        let object = machine.objects.waker(running);
        let pending = Pending {
            action: Action::Park(false),
            object,
            second: ObjectId::NONE,
            name: site.name,
            check: site.check,
        };
        machine.publish(pending, Gate::Woken, site.location);
        let waits = !machine.me().task.woken;
        machine.note_waiting(waits);
        let since = machine.passed;
        let mut machine = wait_for_turn(machine);
        machine.note_awaited(since);
        machine.me().task.woken = false;
        if machine.probing && machine.me().task.probed || machine.is_early_probe() {
            let probed = AwaitEnd::Probed.bits();
            machine.commit(Action::Await, object, site.name, probed, 0);
        } else {
            machine.commit(Action::Park(false), object, site.name, 0, 0);
        }
        machine.note_await_place();
        set_user_code(true);
    }

    /// The running thread is about to poll the future of its call, for the `first` time or again. Returns the number of
    /// the poll: a waker wakes by it, and that of an earlier poll has no effect.
    pub fn begin_poll(self, first: bool) -> u32 {
        let mut machine = current::machine();
        let task = &mut machine.me().task;
        task.polls = task.polls.wrapping_add(1);
        task.woken = false;
        task.woken_by_itself = false;
        task.probeable = true;
        if first {
            task.awaits = None;
        }
        task.polls
    }

    /// The waker of the poll with this number is handed out here: if it is the running thread's, this is what it waits
    /// for.
    #[inline(always)]
    pub fn note_await(self, thread: ThreadIndex, poll: u32) {
        let side = set_user_code(false);
        let place = stack_of_caller();
        let mut machine = current::machine();
        if machine.running == thread && machine.me().task.polls == poll {
            machine.me().task.awaits = place;
        }
        drop(machine);
        set_user_code(side);
    }

    /// The future of the running thread's call is ready, or was dropped. If it was polled only because no thread could
    /// run, that is where the execution ends: it was never woken.
    pub fn end_polls(self) {
        if tearing_down() {
            return;
        }
        let side = set_user_code(false);
        let mut machine = current::machine();
        machine.me().task.probeable = false;
        if machine.probing || machine.is_early_probe() {
            if machine.probing {
                machine.me().task.ready = true;
                machine.finish_probed();
            } else {
                machine.finish_early_probe(true);
            }
            drop(super::switch(machine));
            unreachable!("an execution that is over resumes no thread");
        }
        set_user_code(side);
    }

    /// Wakes the future that `thread` runs by the waker of its poll with this number. Only the newest one counts
    /// (`Future::poll`). True if the future is lent: then it is not woken, but to be polled by the caller.
    #[track_caller]
    pub(super) fn wake_poll(self, thread: ThreadIndex, poll: u32) -> bool {
        self.wake_to(thread, "wake", false, Some(poll))
    }

    /// Waits until the future of the running thread's call is woken, or to be used as the call says, at any time.
    #[track_caller]
    pub fn wait_for_poll(self, future: FutureUse) -> AwaitEnd {
        if future == FutureUse::Run || tearing_down() {
            self.wait_until_woken();
            return AwaitEnd::Woken;
        }
        set_user_code(false);
        let site = site!("await", Action::Await);
        let mut machine = current::machine();
        let running = machine.running;
        let object = machine.objects.waker(running);
        let since = machine.passed;
        let mut machine = stop(machine, Action::Await, object, site);
        machine.note_awaited(since);
        let task = &mut machine.me().task;
        let woken = std::mem::take(&mut task.woken) | std::mem::take(&mut task.woken_by_itself);
        let end = match (future, woken) {
            (FutureUse::Cancel | FutureUse::LeaveWaiting, false) => AwaitEnd::Cancelled,
            (FutureUse::Cancel, true) if machine.choose_value(2) == 1 => AwaitEnd::CancelledWoken,
            (FutureUse::PollAgain, false) => AwaitEnd::PolledAgain,
            (FutureUse::Keep, false) => AwaitEnd::Kept,
            // What it was handed with the wake-up it keeps too.
            (FutureUse::Keep, true) if machine.choose_value(2) == 1 => AwaitEnd::Kept,
            _ => AwaitEnd::Woken,
        };
        if end == AwaitEnd::Kept {
            let task = &mut machine.me().task;
            task.kept = true;
            task.probeable = false;
            // No waker wakes it any more.
            task.polls = task.polls.wrapping_add(1);
        }
        machine.commit(Action::Await, object, site.name, end.bits(), 0);
        machine.note_await_place();
        set_user_code(true);
        end
    }

    /// The running thread begins to run a future.
    pub fn begin_future(self) {
        current::machine().me().task.futures += 1;
    }

    /// The running thread has run a future to its end. What woke it may have been meant for the future around it.
    pub fn end_future(self) {
        let mut machine = current::machine();
        let task = &mut machine.me().task;
        task.futures = task.futures.saturating_sub(1);
        task.woken_by_itself = task.futures > 0;
    }

    /// What the execution meets beside its schedule.
    #[must_use]
    pub fn circumstances(self) -> Circumstances {
        current::machine().circumstances
    }

    /// The number of this execution's draw of random numbers, on which an order depends that the system leaves open:
    /// as that of a map does on its keys.
    #[must_use]
    pub fn draw_of_order(self) -> u64 {
        let mut machine = current::machine();
        machine.note_drawn(Drawn::HashKeys);
        machine.draws
    }

    /// The number of this execution's draw of random numbers; it draws some.
    #[must_use]
    pub fn draw(self) -> u64 {
        let mut machine = current::machine();
        machine.note_drawn(Drawn::Numbers);
        machine.draws
    }

    /// The next random bits of the running thread; every thread has a stream of its own, so that drawing is no visible
    /// operation.
    #[must_use]
    pub fn random_bits(self) -> u64 {
        let mut machine = current::machine();
        let seed = if machine.tearing_down {
            0
        } else {
            machine.random_seed()
        };
        let stream = u64::from(machine.running.0 + 1) << 48;
        machine.me().spin.forget_states();
        let task = &mut machine.me().task;
        task.drawn += 1;
        let base = Rng::new(seed ^ stream).bits();
        let step = task.drawn.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Rng::new(base.wrapping_add(step)).bits()
    }

    /// For each thread, how often it has handed something on that happens before what the running thread does next; of
    /// the running thread, how many operations it has executed.
    #[must_use]
    pub fn clock(self) -> Vec<u32> {
        // The clocks outlive the execution; the copy is the caller's.
        let side = set_user_code(false);
        let mut machine = current::machine();
        let running = machine.running;
        let mut clock = [0; MOST_THREADS];
        let live = machine.live.min(clock.len());
        let known = machine.synchronisation().clock(running);
        for (count, known) in clock.iter_mut().zip(known) {
            *count = *known;
        }
        clock[running.index()] = machine.me().executed.saturating_sub(1);
        drop(machine);
        set_user_code(side);
        clock[..live].to_vec()
    }

    /// Number of visible operations so far.
    #[must_use]
    pub fn steps(self) -> u32 {
        current::machine().record.steps
    }

    /// From here on the limit of steps counts anew: the code under test knows that it makes progress.
    pub fn forgive_steps(self) {
        current::machine().forgive_steps();
    }
}

impl super::super::machine::Machine {
    /// Notes where the operation is that was just recorded, if that is known.
    pub(super) fn note_event_place(&mut self, place: Option<Place>) {
        if let Some(place) = place {
            let event = self.record.events.len() - 1;
            self.record.places.push((event as u32, place));
        }
    }

    /// The running thread has awaited something since so much time had passed.
    fn note_awaited(&mut self, since: Duration) {
        let slot = &self.threads[self.running.index()];
        if slot.call.is_some() {
            let call = &mut self.record.calls[slot.call_record];
            call.awaited = call.awaited.max(self.passed.saturating_sub(since));
        }
    }

    fn note_await_place(&mut self) {
        let place = self.me().task.awaits;
        self.note_event_place(place);
    }

    fn forgive_steps(&mut self) {
        if !self.over {
            self.steps_forgiven = self.record.steps;
            self.set_step_gate(self.gate_after(self.record.steps));
        }
    }
}
