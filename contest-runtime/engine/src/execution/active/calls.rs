//! The calls of a generated test, as their harness announces them.

use std::ops::Range;
use std::panic::Location;

use super::{Active, Site, site, stop, stop_at_gate, tearing_down};
use crate::execution::current;
use crate::execution::virtual_thread::Gate;
use crate::memory::set_user_code;
use contest_data::trace::{Action, CallRecord, Event, ObjectId, Outcome, ThreadIndex};

/// A moment in an execution.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    events: usize,
    objects: usize,
}

impl Active {
    /// A call of a generated test begins; a scheduling point. `call` is its number in its thread.
    pub fn call_begin(self, call: u16) {
        if tearing_down() {
            return;
        }
        set_user_code(false);
        let site = site!("call", Action::CallBegin);
        let machine = current::machine();
        let mut access = stop(machine, Action::CallBegin, ObjectId::NONE, site);
        let machine = &mut *access;
        machine.commit(
            Action::CallBegin,
            ObjectId::NONE,
            site.name,
            0,
            u64::from(call),
        );
        let running = machine.running;
        let record = machine.record.calls.len();
        let begun = CallRecord::begun(running, call, machine.record.steps);
        machine.record.calls.push(begun);
        let thread = machine.me();
        thread.call = Some(call);
        thread.executed_at_hold = u32::MAX;
        thread.shows = None;
        thread.call_record = record;
        set_user_code(true);
    }

    /// The call of a generated test that runs has its result, which is dropped after this, or is in a chain and has the
    /// result of a `part` of that; a scheduling point.
    pub fn call_hold(self, part: bool) {
        if tearing_down() {
            return;
        }
        let mut machine = current::machine();
        if machine.me().call.is_none() {
            return;
        }
        set_user_code(false);
        let site = site!("hold", Action::CallHold);
        let mut access = stop(machine, Action::CallHold, ObjectId::NONE, site);
        let machine = &mut *access;
        let wrote = u64::from(part);
        machine.commit(Action::CallHold, ObjectId::NONE, site.name, 0, wrote);
        let thread = machine.me();
        let done = thread.executed + thread.inner;
        let before = std::mem::replace(&mut thread.executed_at_hold, done);
        // Operations between two holds count as those after the last one do.
        let worked = before != u32::MAX && done > before + 1;
        let index = thread.call_record;
        let record = &mut machine.record.calls[index];
        record.holds += 1;
        record.held |= worked;
        set_user_code(true);
    }

    /// Notes that the code of a caller runs in a thread that the harness did not start, while calls of the test run.
    pub fn note_callers_code(self) {
        if tearing_down() {
            return;
        }
        let was = set_user_code(false);
        let mut machine = current::machine();
        let is_background = machine.has_harness
            && machine.running != ThreadIndex::MAIN
            && !machine.harness.contains(machine.running);
        if is_background {
            let mut others = (1..machine.live).map(|index| ThreadIndex(index as u16));
            let beside_calls = others.any(|thread| {
                machine.harness.contains(thread) && machine.threads[thread.index()].call.is_some()
            });
            machine.record.callers_in_background |= beside_calls;
        }
        drop(machine);
        set_user_code(was);
    }

    /// A thread of the test has returned from all its calls: waits until all have, so that no thread ends (and drops
    /// its thread-locals) while another is in a call.
    pub fn lane_end(self) {
        if tearing_down() {
            return;
        }
        set_user_code(false);
        let site = site!("end of calls", Action::LaneEnd);
        let mut machine = current::machine();
        let running = machine.running_bit();
        machine.lanes_done |= running;
        for index in 0..machine.live {
            if machine.threads[index].gate == Gate::Lanes {
                machine.refresh_thread(ThreadIndex(index as u16));
            }
        }
        let action = Action::LaneEnd;
        let mut machine = stop_at_gate(machine, action, ObjectId::NONE, Gate::Lanes, site);
        machine.commit(Action::LaneEnd, ObjectId::NONE, site.name, 0, 0);
        set_user_code(true);
    }

    /// The call ended with this outcome. Its texts are copied out of the memory of the code under test.
    pub fn call_end(self, outcome: &Outcome) {
        if tearing_down() {
            return;
        }
        set_user_code(false);
        let machine = &mut *current::machine();
        let steps = machine.record.steps;
        let thread = machine.me();
        // The next call is no further round of a loop, even if it reads the same.
        thread.spin.progressed();
        if thread.call.take().is_some() {
            let index = thread.call_record;
            let done = thread.executed + thread.inner;
            let held = thread.executed_at_hold != u32::MAX && done > thread.executed_at_hold;
            let record = &mut machine.record.calls[index];
            record.ended = steps;
            record.held |= held;
            record.outcome = outcome.clone();
        }
        set_user_code(true);
    }

    /// From here on the value in this memory is looked at; see [`Active::looked_at_shared`]. Until then
    /// [`Active::try_lock`] refuses locks that are no part of it: a look must not be in the way of other calls.
    #[must_use]
    pub fn look(self, value: Range<usize>) -> Look {
        let mut machine = current::machine();
        let thread = machine.me();
        thread.shows = Some(value);
        thread.shown_in_part = false;
        Look {
            events: machine.record.events.len(),
            objects: machine.objects.all().len(),
        }
    }

    /// True if since `look` the running thread operated on an object that was in use before, or that another thread
    /// used too, or was refused a lock: not if it saw the insides of a value that is its own. Ends the look.
    #[must_use]
    pub fn looked_at_shared(self, look: Look) -> bool {
        let mut machine = current::machine();
        let thread = machine.me();
        thread.shows = None;
        if thread.shown_in_part {
            return true;
        }
        let running = machine.running;
        let since = &machine.record.events[look.events.min(machine.record.events.len())..];
        let own = |event: &&Event| event.thread == running && event.object != ObjectId::NONE;
        since.iter().filter(own).any(|event| {
            let in_use_before = (event.object.0 as usize) < look.objects;
            let others = |other: &Event| other.thread != running && other.object == event.object;
            in_use_before || since.iter().any(others)
        })
    }
}
