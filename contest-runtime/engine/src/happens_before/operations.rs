//! What each visible operation means for the clocks.

use super::synchronisation::Synchronisation;
use contest_data::trace::{Action, Event, LockMode, ObjectId, REST, ThreadSet, acquires, releases};

/// Capacity and endpoints of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChannelEnds {
    /// `None` if unbounded, 0 for a rendezvous channel.
    pub capacity: Option<usize>,
    /// Senders alive.
    pub senders: usize,
    /// Receivers alive.
    pub receivers: usize,
}

impl Default for ChannelEnds {
    fn default() -> Self {
        Self {
            capacity: None,
            senders: 1,
            receivers: 1,
        }
    }
}

/// What an event does not say about its object: its state after the operation.
pub(crate) trait Facts {
    /// The channel.
    fn channel(&self, object: ObjectId) -> ChannelEnds;
    /// True if the arrival that has just taken place at the barrier was the last of its round.
    fn round_is_complete(&self, barrier: ObjectId) -> bool;
}

impl Synchronisation {
    /// Adds the next operation of the execution.
    ///
    /// A notification and a kernel futex order nothing: what is ordered goes through the mutex or the futex word.
    /// Neither does a sequentially consistent fence beyond its acquire and its release part.
    #[inline]
    pub(crate) fn perform(&mut self, event: &Event, facts: &impl Facts) {
        let (thread, object) = (event.thread, event.object);
        match event.action {
            Action::Load(order) => self.atomic_read(thread, object, acquires(order)),
            Action::CasFail(order) => {
                self.atomic_read(thread, object, acquires(order));
                self.assembly(event);
            }
            Action::Store(order) => self.atomic_write(thread, object, releases(order), false),
            Action::Rmw(order, _) => {
                self.atomic_read(thread, object, acquires(order));
                self.atomic_write(thread, object, releases(order), true);
                self.assembly(event);
            }
            Action::Acquire(mode) | Action::TryAcquire(mode, true) => {
                self.take_lock(thread, object, mode != LockMode::Read);
            }
            Action::Arrive(true) => self.take_lock(thread, object, true),
            // Readers may hold it beside that: what they hand on stays.
            Action::Release(LockMode::Upgradable, _) => self.add_to_message(thread, object),
            Action::Release(mode, _) => self.give_lock(thread, object, mode != LockMode::Read),
            Action::Wait => self.give_lock(thread, event.second, true),
            // All others stand still, and none of them knew when that would be.
            Action::Yield if event.name == REST => self.order_all(),
            Action::Wake(_) if event.second != ObjectId::NONE => {
                self.take_lock(thread, event.second, true);
            }
            Action::Begin
            | Action::End
            | Action::AcquireTimeout(_)
            | Action::TryAcquire(_, false)
            | Action::Arrive(false)
            | Action::Wake(_)
            | Action::Notify(_)
            | Action::Park(true)
            | Action::FutexWait(_)
            | Action::FutexWake
            | Action::PlainRead
            | Action::PlainWrite
            | Action::Yield
            | Action::Sleep
            | Action::CallBegin
            | Action::CallHold
            | Action::LaneEnd => {}
            _ => self.perform_rare(event, facts),
        }
    }

    fn perform_rare(&mut self, event: &Event, facts: &impl Facts) {
        let (thread, object) = (event.thread, event.object);
        match event.action {
            // The poison flag of a lock is relaxed.
            Action::OncePeek(_) | Action::OnceEnd(_) if event.second == object => {}
            Action::Fence(order) => {
                if acquires(order) {
                    self.acquire_fence(thread);
                }
                if releases(order) {
                    self.release_fence(thread);
                }
            }
            Action::Assembly => self.order_all(),
            Action::Spawn(new) => self.spawn(thread, new),
            Action::Join(other) => self.join_thread(thread, other),
            Action::Park(false) | Action::Await => {
                self.acquire(thread, object);
                self.clear_message(object);
            }
            Action::Unpark | Action::OnceEnd(_) => self.add_to_message(thread, object),
            // What an initialiser that failed did is seen by the next one. The end of a thread, which is looked at in
            // the same way, hands on nothing: `is_finished` is a relaxed read.
            Action::OnceBegin(_) | Action::OncePeek(_) => self.acquire(thread, object),
            Action::Send(_, true) => self.send(thread, object, facts),
            Action::SendTaken(true) => self.send_taken(thread, object, event.wrote),
            Action::Send(_, false) | Action::SendTaken(false) => {
                self.send_failed(thread, object, facts)
            }
            Action::Receive(_, true) => self.receive(thread, object),
            Action::Receive(_, false) => self.receive_failed(thread, object, facts),
            Action::Endpoint => self.endpoint(thread, object, facts),
            Action::BarrierArrive => self.arrive(event, facts),
            _ => {}
        }
    }

    /// Blocks of inline assembly, which have a second object, synchronise with each other.
    #[inline]
    fn assembly(&mut self, event: &Event) {
        if event.second != ObjectId::NONE {
            self.acquire(event.thread, event.second);
            self.add_to_message(event.thread, event.second);
        }
    }

    /// The last to arrive lets all that have arrived know of each other; they do nothing else before they leave.
    fn arrive(&mut self, event: &Event, facts: &impl Facts) {
        let (thread, object) = (event.thread, event.object);
        let slot = self.arrived.iter().position(|(at, _)| *at == object);
        let slot = slot.unwrap_or_else(|| {
            self.arrived.push((object, ThreadSet::EMPTY));
            self.arrived.len() - 1
        });
        self.arrived[slot].1.insert(thread);
        if !facts.round_is_complete(object) {
            return;
        }
        let set = std::mem::take(&mut self.arrived[slot].1);
        for other in set.without(thread) {
            self.join_thread(thread, other);
        }
        for other in set.without(thread) {
            self.join_thread(other, thread);
        }
        for other in set {
            self.step(other);
        }
    }
}
