//! Senders and the receiver. Inside an execution the engine decides who may send or receive; the message then moves at
//! once.

use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::sync::Arc;
use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::time::{Duration, Instant};

use super::channel::{Channel, NoMessage, NotSent, Patience};
use super::iterators::{Iter, TryIter};
use contest_engine::execution::{Received, Sent, active};
use contest_engine::memory::set_user_code;

/// Drop-in for `std::sync::mpsc::Sender`.
pub struct Sender<T> {
    channel: Arc<Channel<T>>,
    made_at: &'static Location<'static>,
}

/// Drop-in for `std::sync::mpsc::SyncSender`.
pub struct SyncSender<T> {
    channel: Arc<Channel<T>>,
    made_at: &'static Location<'static>,
}

/// Drop-in for `std::sync::mpsc::Receiver`.
pub struct Receiver<T> {
    channel: Arc<Channel<T>>,
    made_at: &'static Location<'static>,
    /// Not `Sync`.
    _single: PhantomData<*const ()>,
}

// SAFETY: the channel is `Send` and `Sync` if the messages are `Send`; the marker is only there to take `Sync` away.
unsafe impl<T: Send> Send for Receiver<T> {}

impl<T> UnwindSafe for Sender<T> {}
impl<T> RefUnwindSafe for Sender<T> {}
impl<T> UnwindSafe for SyncSender<T> {}
impl<T> RefUnwindSafe for SyncSender<T> {}
impl<T> UnwindSafe for Receiver<T> {}
impl<T> RefUnwindSafe for Receiver<T> {}

/// As in `std`: an unbounded channel.
#[must_use]
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let channel = new_channel(None);
    (
        Sender {
            channel: Arc::clone(&channel),
            made_at: Location::caller(),
        },
        Receiver::new(channel),
    )
}

/// As in `std`: a bounded channel; with bound 0 a send waits until its message is received.
#[must_use]
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let channel = new_channel(Some(bound));
    (
        SyncSender {
            channel: Arc::clone(&channel),
            made_at: Location::caller(),
        },
        Receiver::new(channel),
    )
}

fn new_channel<T>(capacity: Option<usize>) -> Arc<Channel<T>> {
    let channel = Arc::new(Channel::new(capacity));
    if let Some(active) = active() {
        active.channel_new(address(&channel), capacity);
    }
    channel
}

fn address<T>(channel: &Arc<Channel<T>>) -> usize {
    Arc::as_ptr(channel).addr()
}

#[track_caller]
fn send<T>(channel: &Arc<Channel<T>>, message: T, wait: bool) -> Result<(), NotSent<T>> {
    let Some(active) = active() else {
        return channel.send(message, wait);
    };
    let mut message = Some(message);
    let mut ticket = None;
    let push = || {
        // The queue belongs to the code under test, wherever it grows.
        let side = set_user_code(true);
        ticket = message.take().map(|message| channel.state().push(message));
        set_user_code(side);
    };
    match active.channel_send(address(channel), channel.capacity, wait, push) {
        Sent::Room => Ok(()),
        // In a rendezvous the message may be offered already when the receiver goes away.
        Sent::Closed => match message.or_else(|| channel.state().take_back(ticket?)) {
            Some(message) => Err(NotSent::Closed(message)),
            None => Ok(()),
        },
        Sent::Full => message.map_or(Ok(()), |message| Err(NotSent::Full(message))),
    }
}

#[track_caller]
fn add_sender<T>(channel: &Arc<Channel<T>>) -> Arc<Channel<T>> {
    match active() {
        None => channel.add_sender(),
        Some(active) => {
            active.channel_endpoints(address(channel), "clone", Location::caller(), || {
                channel.add_sender();
                channel.endpoints()
            });
        }
    }
    Arc::clone(channel)
}

fn remove_sender<T>(channel: &Arc<Channel<T>>, made_at: &'static Location<'static>) {
    match active() {
        None => channel.remove_sender(),
        Some(active) => active.channel_endpoints(address(channel), "drop", made_at, || {
            channel.remove_sender();
            channel.endpoints()
        }),
    }
}

impl<T> Sender<T> {
    /// As in `std`.
    ///
    /// # Errors
    /// If the receiver is gone.
    #[track_caller]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        match send(&self.channel, t, true) {
            Ok(()) => Ok(()),
            Err(NotSent::Closed(message) | NotSent::Full(message)) => Err(SendError(message)),
        }
    }
}

impl<T> SyncSender<T> {
    /// As in `std`.
    ///
    /// # Errors
    /// If the receiver is gone.
    #[track_caller]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        match send(&self.channel, t, true) {
            Ok(()) => Ok(()),
            Err(NotSent::Closed(message) | NotSent::Full(message)) => Err(SendError(message)),
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If the channel is full or the receiver is gone.
    #[track_caller]
    pub fn try_send(&self, t: T) -> Result<(), TrySendError<T>> {
        match send(&self.channel, t, false) {
            Ok(()) => Ok(()),
            Err(NotSent::Closed(message)) => Err(TrySendError::Disconnected(message)),
            Err(NotSent::Full(message)) => Err(TrySendError::Full(message)),
        }
    }
}

impl<T> Receiver<T> {
    #[track_caller]
    fn new(channel: Arc<Channel<T>>) -> Self {
        Self {
            channel,
            made_at: Location::caller(),
            _single: PhantomData,
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If no message is there.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match active() {
            None => self
                .channel
                .receive(Patience::None)
                .map_err(|why| match why {
                    NoMessage::Closed => TryRecvError::Disconnected,
                    NoMessage::Empty => TryRecvError::Empty,
                }),
            Some(active) => match active.channel_receive(address(&self.channel), false, None) {
                Received::Message => Ok(self.take_granted()),
                Received::Closed => Err(TryRecvError::Disconnected),
                Received::Empty | Received::TimedOut => Err(TryRecvError::Empty),
            },
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If no message is there and all senders are gone.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        match active() {
            None => self
                .channel
                .receive(Patience::Endless)
                .map_err(|_| RecvError),
            Some(active) => match active.channel_receive(address(&self.channel), true, None) {
                Received::Message => Ok(self.take_granted()),
                Received::Closed | Received::Empty | Received::TimedOut => Err(RecvError),
            },
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If no message comes in time or all senders are gone.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        match active() {
            None => {
                // As in `std`, an instant that cannot be reached is never.
                let patience = Instant::now()
                    .checked_add(timeout)
                    .map_or(Patience::Endless, Patience::Until);
                self.channel.receive(patience).map_err(|why| match why {
                    NoMessage::Closed => RecvTimeoutError::Disconnected,
                    NoMessage::Empty => RecvTimeoutError::Timeout,
                })
            }
            Some(active) => {
                match active.channel_receive(address(&self.channel), true, Some(timeout)) {
                    Received::Message => Ok(self.take_granted()),
                    Received::Closed => Err(RecvTimeoutError::Disconnected),
                    Received::Empty | Received::TimedOut => Err(RecvTimeoutError::Timeout),
                }
            }
        }
    }

    /// As in `std`.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { rx: self }
    }

    /// As in `std`.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { rx: self }
    }

    #[track_caller]
    fn take_granted(&self) -> T {
        match self.channel.state().pop() {
            Some(message) => message,
            None => panic!(
                "contest: the scheduler granted a message that is not there; an OS thread outside the execution has taken it"
            ),
        }
    }
}

impl<T> Clone for Sender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        Self {
            channel: add_sender(&self.channel),
            made_at: Location::caller(),
        }
    }
}

impl<T> Clone for SyncSender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        Self {
            channel: add_sender(&self.channel),
            made_at: Location::caller(),
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        remove_sender(&self.channel, self.made_at);
    }
}

impl<T> Drop for SyncSender<T> {
    fn drop(&mut self) {
        remove_sender(&self.channel, self.made_at);
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let mut unreceived = VecDeque::new();
        match active() {
            None => unreceived = self.channel.remove_receiver(),
            Some(active) => {
                active.channel_endpoints(address(&self.channel), "drop", self.made_at, || {
                    unreceived = self.channel.remove_receiver();
                    self.channel.endpoints()
                });
            }
        }
        drop(unreceived);
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncSender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
