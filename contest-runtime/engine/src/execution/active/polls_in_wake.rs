//! Futures that are polled inside the `wake` of their wakers, by the thread that wakes them, as an executor may. What
//! the code under test holds while it wakes, the poll finds held.

use std::panic::Location;
use std::ptr::NonNull;
use std::task::Context;

use super::{Active, Site, set_user_code, site, stop, tearing_down};
use crate::execution::current;
use crate::execution::layer::stack_of_caller_in;
use contest_data::trace::{Action, AwaitEnd, LENT, POLLED_IN_WAKE, ThreadIndex};

/// Polls a future once; true if it is ready. Its owner waits while another thread uses it.
pub type PollStep = NonNull<dyn FnMut(&mut Context<'_>) -> bool>;

/// A poll that is for the running thread to make.
#[derive(Debug)]
pub struct PollInWake {
    /// Polls.
    pub step: PollStep,
    /// Number of the poll.
    pub poll: u32,
}

impl Active {
    /// Lets the one that wakes the future of the running thread's call poll it, from now until the thread goes on. A
    /// future that has woken itself is not lent: its thread waits for no one.
    #[track_caller]
    pub fn lend_future(self, step: PollStep) {
        if tearing_down() || current::machine().me().task.woken_by_itself {
            return;
        }
        set_user_code(false);
        let site = site!(LENT, Action::Unpark);
        let mut machine = current::machine();
        let running = machine.running;
        let object = machine.objects.waker(running);
        // What this thread did with the future happens before what another one does.
        let mut machine = stop(machine, Action::Unpark, object, site);
        let before = machine.me().task.woken;
        machine.me().task.lent = Some(step);
        machine.commit(Action::Unpark, object, site.name, u64::from(before), 0);
        drop(machine);
        set_user_code(true);
    }

    /// The future is only for its own thread again, which is the running one.
    pub fn take_future_back(self) {
        current::machine().me().task.lent = None;
    }

    /// As [`wake_poll`](Self::wake_poll), of a future that may be lent: if it is, the poll that the caller has to make
    /// now, and to end by [`end_poll_in_wake`](Self::end_poll_in_wake).
    #[track_caller]
    pub fn wake_lent(self, thread: ThreadIndex, poll: u32) -> Option<PollInWake> {
        if !self.wake_poll(thread, poll) {
            return None;
        }
        set_user_code(false);
        let mut machine = current::machine();
        let site = Site::of(
            &mut machine,
            Action::Await,
            "poll in wake",
            Location::caller(),
        );
        let object = machine.objects.waker(thread);
        let mut machine = stop(machine, Action::Await, object, site);
        let task = &mut machine.threads[thread.index()].task;
        let newest = task.polls == poll;
        let step = if newest { task.lent.take() } else { None };
        if step.is_some() {
            task.is_polled = true;
            task.polls = task.polls.wrapping_add(1);
            task.woken = false;
        }
        // Where another thread has polled it meanwhile, it is woken, if this is still the waker of its newest poll.
        let woken_before = !newest || step.is_some() || std::mem::replace(&mut task.woken, true);
        let poll = task.polls;
        machine.refresh(object);
        if step.is_some() {
            let end = AwaitEnd::PolledInWake.bits();
            machine.commit(Action::Await, object, site.name, end, 0);
        } else {
            // An ordinary wake-up: its thread adds what it has done to what the owner of the future will see.
            machine.commit(Action::Unpark, object, "wake", u64::from(woken_before), 0);
        }
        let place = stack_of_caller_in(&mut machine);
        machine.note_event_place(place);
        drop(machine);
        set_user_code(true);
        step.map(|step| PollInWake { step, poll })
    }

    /// The poll is over. A future that is ready, or was woken meanwhile, is for its own thread now.
    #[track_caller]
    pub fn end_poll_in_wake(self, thread: ThreadIndex, step: PollStep, ready: bool) {
        if tearing_down() {
            return;
        }
        set_user_code(false);
        let mut machine = current::machine();
        let site = Site::of(
            &mut machine,
            Action::Unpark,
            POLLED_IN_WAKE,
            Location::caller(),
        );
        let object = machine.objects.waker(thread);
        let mut machine = stop(machine, Action::Unpark, object, site);
        let task = &mut machine.threads[thread.index()].task;
        task.is_polled = false;
        task.woken |= ready;
        if !ready {
            task.lent = Some(step);
        }
        machine.refresh(object);
        machine.commit(Action::Unpark, object, site.name, 0, 0);
        let place = stack_of_caller_in(&mut machine);
        machine.note_event_place(place);
        drop(machine);
        set_user_code(true);
    }
}
