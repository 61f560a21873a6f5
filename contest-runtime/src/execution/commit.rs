//! What an executed operation leaves behind: an event, and what it means for those who spin.

use super::machine::Machine;
use super::virtual_thread::Gate;
use crate::trace::{Action, Event, ObjectId, ThreadIndex};

impl Machine {
    /// Starts to execute the published operation: called when it is this thread's turn.
    #[inline]
    pub(crate) fn begin_commit(&mut self) {
        if self.odd & self.running_bit != 0 {
            self.begin_odd_commit();
        }
        if !matches!(self.threads[self.running.index()].gate, Gate::Open) {
            self.leave_gate();
        }
    }

    #[inline(never)]
    fn begin_odd_commit(&mut self) {
        let others = !self.running_bit;
        self.threads[self.running.index()].exchange = None;
        self.conditional &= others;
        self.unwinding &= others;
        self.timed &= others;
        self.spinning &= others;
        self.odd &= others;
    }

    #[inline(never)]
    fn leave_gate(&mut self) {
        let running = self.running;
        let gate = self.threads[running.index()].gate;
        self.unconcern(gate, running);
        self.threads[running.index()].gate = Gate::Open;
        // It was not if its time was up.
        self.enabled |= self.running_bit;
    }

    /// Records an executed operation.
    #[inline]
    pub(crate) fn commit(
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
    #[inline]
    pub(crate) fn commit_pair(
        &mut self,
        action: Action,
        object: ObjectId,
        second: ObjectId,
        name: &'static str,
        read: u64,
        wrote: u64,
    ) {
        let running = self.running;
        let thread = &mut self.threads[running.index()];
        let event = Event {
            thread: running,
            index: thread.executed,
            call: thread.call,
            action,
            object,
            second,
            location: thread.location,
            name,
            read,
            wrote,
        };
        thread.executed += 1;
        self.synchronisation.perform(&event, &self.objects);
        self.record.events.push(event);
        self.record.steps += 1;
        if self.harness != 0 && self.harness & self.running_bit == 0 && running != ThreadIndex::MAIN
        {
            self.record.background_steps = true;
        }
        if object != ObjectId::NONE {
            self.note_access(action, object, read);
        }
    }

    #[inline]
    fn note_access(&mut self, action: Action, object: ObjectId, read: u64) {
        let is_read = matches!(
            action,
            Action::Load(_)
                | Action::CasFail(_)
                | Action::TryAcquire(_, false)
                | Action::OncePeek(_)
                | Action::Receive(false)
                | Action::Send(false)
        );
        let state = self.objects.get_mut(object);
        if is_read {
            let version = state.version;
            let thread = &mut self.threads[self.running.index()];
            let location = thread.location;
            if thread.spin.read(object, version, action, read, location) {
                thread.spin.repeats = true;
            }
        } else {
            state.version = state.version.wrapping_add(1);
            if state.spinners != 0 {
                let spinners = state.spinners & !self.running_bit;
                state.spinners &= !spinners;
                self.spinning &= !spinners;
            }
            self.threads[self.running.index()].spin.progressed();
        }
    }
}
