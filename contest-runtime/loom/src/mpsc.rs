//! `std::sync::mpsc`, of loom's locks: loom's own channel has no bound, and its receiver does not hear that the senders
//! are gone. Time limits never pass.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::PoisonError;
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::time::Duration;

use super::locks::{Condvar, Mutex, MutexGuard};

struct State<T> {
    messages: VecDeque<T>,
    /// Messages that were received.
    received: usize,
    /// Most messages that wait; none is no limit.
    room: Option<usize>,
    senders: usize,
    has_receiver: bool,
    /// The receiver waits: without room, that is when a message may come.
    is_wanted: bool,
}

struct Channel<T> {
    state: Mutex<State<T>>,
    /// There is a message, or no sender any more.
    sent: Condvar,
    /// There is room, or no receiver any more.
    taken: Condvar,
}

impl<T> Channel<T> {
    #[track_caller]
    fn new(room: Option<usize>) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                messages: VecDeque::new(),
                received: 0,
                room,
                senders: 1,
                has_receiver: true,
                is_wanted: false,
            }),
            sent: Condvar::new(),
            taken: Condvar::new(),
        })
    }

    #[track_caller]
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[track_caller]
    fn more_senders(&self) {
        self.state().senders += 1;
    }

    fn fewer_senders(&self) {
        let mut state = self.state();
        state.senders -= 1;
        if state.senders == 0 {
            self.sent.notify_all();
        }
    }

    /// Waits for room, and without any room for the receiver.
    #[track_caller]
    fn send(&self, message: T) -> Result<(), SendError<T>> {
        let mut state = self.state();
        // A channel without room has one place for the message that is handed over.
        let most = state.room.map(|it| it.max(1));
        while state.has_receiver && most.is_some_and(|it| state.messages.len() >= it) {
            state = wait(&self.taken, state);
        }
        if !state.has_receiver {
            return Err(SendError(message));
        }
        state.messages.push_back(message);
        let number = state.received + state.messages.len();
        self.sent.notify_one();
        while state.room == Some(0) && state.has_receiver && state.received < number {
            state = wait(&self.taken, state);
        }
        if state.room == Some(0) && state.received < number {
            return Err(SendError(state.messages.pop_back().expect("its own")));
        }
        Ok(())
    }

    #[track_caller]
    fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        let mut state = self.state();
        if !state.has_receiver {
            return Err(TrySendError::Disconnected(message));
        }
        let full = match state.room {
            None => false,
            Some(0) => !state.is_wanted || !state.messages.is_empty(),
            Some(room) => state.messages.len() >= room,
        };
        if full {
            return Err(TrySendError::Full(message));
        }
        state.messages.push_back(message);
        self.sent.notify_one();
        Ok(())
    }
}

#[track_caller]
fn wait<'a, T>(on: &Condvar, state: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    on.wait(state).unwrap_or_else(PoisonError::into_inner)
}

/// As in `std`.
#[must_use]
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let channel = Channel::new(None);
    (Sender(Arc::clone(&channel)), Receiver(channel))
}

/// As in `std`.
#[must_use]
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let channel = Channel::new(Some(bound));
    (SyncSender(Arc::clone(&channel)), Receiver(channel))
}

macro_rules! sender {
    ($name:ident) => {
        /// The type of this name in `std`.
        pub struct $name<T>(Arc<Channel<T>>);

        impl<T> $name<T> {
            /// As in `std`.
            ///
            /// # Errors
            /// If there is no receiver any more.
            #[track_caller]
            pub fn send(&self, message: T) -> Result<(), SendError<T>> {
                self.0.send(message)
            }
        }

        impl<T> Clone for $name<T> {
            #[track_caller]
            fn clone(&self) -> Self {
                self.0.more_senders();
                Self(Arc::clone(&self.0))
            }
        }

        impl<T> Drop for $name<T> {
            fn drop(&mut self) {
                self.0.fewer_senders();
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

sender! { Sender }
sender! { SyncSender }

impl<T> SyncSender<T> {
    /// As in `std`.
    ///
    /// # Errors
    /// If there is no room, or no receiver any more.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        self.0.try_send(message)
    }
}

/// The type of this name in `std`.
pub struct Receiver<T>(Arc<Channel<T>>);

impl<T> Receiver<T> {
    /// As in `std`.
    ///
    /// # Errors
    /// If nothing is there, and no sender any more.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        let mut state = self.0.state();
        loop {
            if let Some(message) = self.taken(&mut state) {
                return Ok(message);
            }
            if state.senders == 0 {
                return Err(RecvError);
            }
            state.is_wanted = true;
            state = wait(&self.0.sent, state);
            state.is_wanted = false;
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If nothing is there.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let mut state = self.0.state();
        match self.taken(&mut state) {
            Some(message) => Ok(message),
            None if state.senders == 0 => Err(TryRecvError::Disconnected),
            None => Err(TryRecvError::Empty),
        }
    }

    /// As in `std`; the time never runs out.
    ///
    /// # Errors
    /// If nothing is there, and no sender any more.
    #[track_caller]
    pub fn recv_timeout(&self, _: Duration) -> Result<T, RecvTimeoutError> {
        self.recv().map_err(|_| RecvTimeoutError::Disconnected)
    }

    /// As in `std`.
    #[track_caller]
    pub fn iter(&self) -> Iter<'_, T> {
        Iter(self)
    }

    /// As in `std`.
    #[track_caller]
    pub fn try_iter(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| self.try_recv().ok())
    }

    fn taken(&self, state: &mut State<T>) -> Option<T> {
        let message = state.messages.pop_front()?;
        state.received += 1;
        if state.room.is_some() {
            self.0.taken.notify_all();
        }
        Some(message)
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.has_receiver = false;
        let rest = match state.room {
            // Each of these belongs to a sender that waits.
            Some(0) => VecDeque::new(),
            _ => std::mem::take(&mut state.messages),
        };
        if state.room.is_some() {
            self.0.taken.notify_all();
        }
        drop(state);
        drop(rest);
    }
}

/// As in `std`.
#[derive(Debug)]
pub struct IntoIter<T>(Receiver<T>);

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }
}

/// As in `std`.
#[derive(Debug)]
pub struct Iter<'a, T>(&'a Receiver<T>);

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        Iter(self)
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
