//! What senders and receiver share, and what outside of executions makes them wait.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Shared state of a channel.
pub(super) struct Channel<T> {
    /// `None` for an unbounded channel, 0 for a rendezvous channel.
    pub(super) capacity: Option<usize>,
    state: Mutex<State<T>>,
    /// A message or the end of all senders is there.
    arrived: Condvar,
    /// There is room, or a message was taken, or the receiver is gone.
    left: Condvar,
}

/// State of a channel.
pub(super) struct State<T> {
    /// Messages on their way. In a rendezvous channel each belongs to its waiting sender, who may have taken it back
    /// (`None`).
    queue: VecDeque<Option<T>>,
    /// Number of messages that left the queue at its front.
    taken: u64,
    senders: usize,
    receiver: bool,
    /// The receiver waits for a message.
    receiver_waits: bool,
    /// Number of senders that wait for room, or for their message to be taken.
    senders_waiting: usize,
}

/// Number of a message in its channel, counting from 0.
#[derive(Clone, Copy)]
pub(super) struct Ticket(u64);

impl<T> State<T> {
    /// Puts a message at the end.
    pub(super) fn push(&mut self, message: T) -> Ticket {
        let ticket = Ticket(self.taken + self.queue.len() as u64);
        self.queue.push_back(Some(message));
        ticket
    }

    /// Takes the first message.
    pub(super) fn pop(&mut self) -> Option<T> {
        while let Some(slot) = self.queue.pop_front() {
            self.taken += 1;
            if slot.is_some() {
                return slot;
            }
        }
        None
    }

    /// Takes a message back that has not been received.
    pub(super) fn take_back(&mut self, ticket: Ticket) -> Option<T> {
        let place = ticket.0.checked_sub(self.taken)?;
        self.queue.get_mut(usize::try_from(place).ok()?)?.take()
    }

    fn has_left(&self, ticket: Ticket) -> bool {
        ticket.0 < self.taken
    }

    fn is_empty(&self) -> bool {
        self.queue.iter().all(Option::is_none)
    }
}

/// Why a message was not sent.
pub(super) enum NotSent<T> {
    Closed(T),
    Full(T),
}

/// Why there is no message.
pub(super) enum NoMessage {
    Closed,
    Empty,
}

/// How long to wait.
#[derive(Clone, Copy)]
pub(super) enum Patience {
    None,
    Until(Instant),
    Endless,
}

impl<T> Channel<T> {
    pub(super) fn new(capacity: Option<usize>) -> Self {
        Self {
            capacity,
            state: Mutex::new(State {
                queue: VecDeque::new(),
                taken: 0,
                senders: 1,
                receiver: true,
                receiver_waits: false,
                senders_waiting: 0,
            }),
            arrived: Condvar::new(),
            left: Condvar::new(),
        }
    }

    /// The state; no code of users runs while it is locked, so it is never poisoned.
    pub(super) fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends, outside of executions.
    pub(super) fn send(&self, message: T, wait: bool) -> Result<(), NotSent<T>> {
        let mut state = self.state();
        loop {
            if !state.receiver {
                return Err(NotSent::Closed(message));
            }
            let room = match self.capacity {
                None => true,
                Some(0) => wait || (state.receiver_waits && state.is_empty()),
                Some(capacity) => state.queue.len() < capacity,
            };
            if room {
                break;
            }
            if !wait {
                return Err(NotSent::Full(message));
            }
            state = self.wait_for_receiver(state);
        }
        let ticket = state.push(message);
        // Without a waiting receiver, a wake-up would be a system call for nothing.
        if state.receiver_waits {
            self.arrived.notify_one();
        }
        if self.capacity == Some(0) && wait {
            while !state.has_left(ticket) {
                if !state.receiver {
                    return match state.take_back(ticket) {
                        Some(message) => Err(NotSent::Closed(message)),
                        None => Ok(()),
                    };
                }
                state = self.wait_for_receiver(state);
            }
        }
        Ok(())
    }

    /// Receives, outside of executions.
    pub(super) fn receive(&self, patience: Patience) -> Result<T, NoMessage> {
        let mut state = self.state();
        loop {
            if let Some(message) = state.pop() {
                state.receiver_waits = false;
                if state.senders_waiting > 0 {
                    self.left.notify_all();
                }
                return Ok(message);
            }
            if state.senders == 0 {
                state.receiver_waits = false;
                return Err(NoMessage::Closed);
            }
            state.receiver_waits = true;
            state = match patience {
                Patience::Endless => self
                    .arrived
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
                Patience::Until(end) => {
                    let left = end.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        state.receiver_waits = false;
                        return Err(NoMessage::Empty);
                    }
                    self.arrived
                        .wait_timeout(state, left)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
                Patience::None => {
                    state.receiver_waits = false;
                    return Err(NoMessage::Empty);
                }
            };
        }
    }

    /// Numbers of senders and receivers.
    pub(super) fn endpoints(&self) -> (usize, usize) {
        let state = self.state();
        (state.senders, usize::from(state.receiver))
    }

    /// A new sender.
    pub(super) fn add_sender(&self) {
        self.state().senders += 1;
    }

    /// A sender went away.
    pub(super) fn remove_sender(&self) {
        let mut state = self.state();
        state.senders -= 1;
        if state.senders == 0 {
            self.arrived.notify_all();
        }
    }

    /// Closes the receiving end. Returns the messages that were not received, to be dropped by the caller without the
    /// lock; those of a rendezvous channel go back to their senders.
    #[must_use]
    pub(super) fn remove_receiver(&self) -> VecDeque<Option<T>> {
        let mut state = self.state();
        state.receiver = false;
        self.left.notify_all();
        if self.capacity == Some(0) {
            VecDeque::new()
        } else {
            let messages = std::mem::take(&mut state.queue);
            state.taken += messages.len() as u64;
            messages
        }
    }

    /// Waits until the receiver has done something.
    fn wait_for_receiver<'a>(
        &self,
        mut state: MutexGuard<'a, State<T>>,
    ) -> MutexGuard<'a, State<T>> {
        state.senders_waiting += 1;
        let mut state = self
            .left
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner);
        state.senders_waiting -= 1;
        state
    }
}
