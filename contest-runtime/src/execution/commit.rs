//! What an executed operation leaves behind: an event, and what it means for those who spin.

use super::machine::Machine;
use super::virtual_thread::Gate;
use crate::trace::{Action, Event, ObjectId, ThreadIndex};

impl Machine {
    /// Starts to execute the published operation: called when it is this thread's turn.
    #[inline]
    pub(crate) fn begin_commit(&mut self) {
        let bit = 1 << self.running.0;
        let thread = &mut self.threads[self.running.index()];
        let gate = thread.gate;
        thread.exchange = None;
        self.conditional &= !bit;
        self.unwinding &= !bit;
        self.timed &= !bit;
        self.spinning &= !bit;
        if gate != Gate::Open {
            self.unconcern(gate, self.running);
            self.threads[self.running.index()].gate = Gate::Open;
        }
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
        if running != ThreadIndex::MAIN && self.harness & (1 << running.0) == 0 && self.harness != 0
        {
            self.record.background_steps = true;
        }
        if object != ObjectId::NONE {
            self.note_access(action, object, read);
        }
    }

    fn note_access(&mut self, action: Action, object: ObjectId, read: u64) {
        let running = self.running;
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
            let thread = &mut self.threads[running.index()];
            let location = thread.location;
            if thread.spin.read(object, version, action, read, location) {
                thread.spin.repeats = true;
            }
        } else {
            state.version = state.version.wrapping_add(1);
            let spinners = state.spinners & !(1 << running.0);
            if spinners != 0 {
                state.spinners &= !spinners;
                self.spinning &= !spinners;
            }
            self.threads[running.index()].spin.progressed();
        }
    }
}
