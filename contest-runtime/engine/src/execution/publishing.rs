//! What a thread publishes of its next operation before the next thread is picked.

use std::panic::Location;
use std::time::Duration;

use super::leeway::LATEST;
use super::machine::Machine;
use super::virtual_thread::{Gate, PendingExchange};
use crate::object::MOST_THREADS;
use contest_data::trace::Pending;

impl Machine {
    /// Publishes the running thread's next operation.
    pub(super) fn publish(
        &mut self,
        pending: Pending,
        gate: Gate,
        location: &'static Location<'static>,
    ) {
        self.publish_open(pending, location);
        let thread = self.me();
        thread.deadline = None;
        thread.timed_out = false;
        if !matches!(gate, Gate::Open) {
            thread.gate = gate;
            self.close_gate(gate);
        }
    }

    /// Publishes the running thread's next operation, which can be executed at once: a thread that runs has its gate
    /// open.
    #[inline(always)]
    pub(super) fn publish_open(&mut self, pending: Pending, location: &'static Location<'static>) {
        self.pending[self.running.index() % MOST_THREADS] = Some(pending);
        self.me().location = location;
        if self.streams.hidden {
            self.order_by_streams(true);
        }
        if self.layer.last_drops.any_open {
            self.note_step_in_last_drops();
        }
    }

    /// The running thread stands before a gate: it is enabled only if that is open.
    #[inline(never)]
    fn close_gate(&mut self, gate: Gate) {
        let running = self.running;
        self.concern(gate);
        if self.is_open(running) {
            self.enabled |= self.running_bit();
        } else {
            self.enabled &= !self.running_bit();
        }
    }

    pub(super) fn publish_exchange(&mut self, exchange: PendingExchange) {
        self.me().exchange = Some(exchange);
        self.publish_conditional();
    }

    /// The operation about to be published does one thing or another by the state it finds.
    pub(super) fn publish_conditional(&mut self) {
        self.conditional |= self.running_bit();
        self.slow_path |= self.running_bit();
    }

    /// Gives the published operation a deadline, `timeout` from now.
    pub(super) fn publish_timeout(&mut self, timeout: Option<Duration>) {
        let Some(timeout) = timeout else { return };
        let deadline = self.clock.saturating_add(timeout);
        self.me().deadline = Some(deadline);
        self.me().patience = timeout;
        let bit = self.running_bit();
        if !self.enabled.contains(self.running) {
            self.timed |= bit;
            self.slow_path |= bit;
        }
        if timeout > LATEST {
            return;
        }
        if self.timeouts_are_choices {
            self.interruptible |= bit;
            self.slow_path |= bit;
        } else if self.may_be_beside_others() {
            // Whether it had to wait here or not: in another order it has to.
            self.leave_out_early_ends();
        }
    }

    /// The published wait may end spuriously, if the limits allow that.
    pub(super) fn publish_spurious_wakeup(&mut self) {
        if self.limits.spurious_wakeups > 0 {
            self.interruptible |= self.running_bit();
            self.wakes_spuriously |= self.running_bit();
            self.slow_path |= self.running_bit();
        }
    }
}
