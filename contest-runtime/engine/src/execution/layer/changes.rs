//! What the running thread changes beside visible operations: it is not in the state any more in which it was.

use crate::execution::machine::Machine;

impl Machine {
    /// The running thread, whose stack ends here now, has written to this address.
    pub(super) fn note_write(&mut self, address: usize, stack: usize) {
        let thread = self.me();
        thread.spin.forget_states();
        // What lies on its own stack is part of its state.
        if !(stack..thread.stack_end).contains(&address) {
            thread.poll.wrote = true;
            if thread.poll.idle.is_some() {
                self.end_idling();
            }
        }
    }

    /// The running thread has changed an atomic that is part of another object, or not shared.
    pub(super) fn note_inner_change(&mut self) {
        let thread = self.me();
        thread.inner += 1;
        thread.spin.forget_states();
        thread.poll.inner += 1;
    }
}
