//! One visible operation of one virtual thread.

use std::panic::Location;
use std::sync::atomic::Ordering;

/// Number of a virtual thread in one execution, in order of creation; the main thread is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadIndex(pub u16);

impl ThreadIndex {
    /// The thread that runs the body of the model, the prefix and the quiescent observation.
    pub const MAIN: Self = Self(0);

    /// `the main thread` or `thread 2`.
    #[must_use]
    pub fn title(self) -> String {
        if self == Self::MAIN {
            "the main thread".to_owned()
        } else {
            format!("thread {}", self.0)
        }
    }

    /// As an index into a table of threads.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Number of an object (lock, atomic, channel, ...) in one execution, in order of first use; never an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// For operations that concern no object, such as a fence.
    pub const NONE: Self = Self(u32::MAX);
}

/// How a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockMode {
    /// One holder.
    Exclusive,
    /// Any number of readers.
    Read,
    /// One holder beside any number of readers, and only this holder may upgrade to exclusive: parking_lot's upgradable
    /// read.
    Upgradable,
}

/// Whether an operation waits until it can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Blocking {
    /// It waits, with a timeout or without: `send`, `recv_timeout`.
    Waits,
    /// It fails instead of waiting: `try_send`.
    Tries,
}

/// How an atomic read-modify-write makes the value that it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Update {
    /// What it writes, and whether it writes, may depend in any way on what it finds: a compare-exchange, or an
    /// operation of which no more is known.
    Conditional,
    /// It writes a given value: `swap`.
    Replace,
    /// It counts up or down: `fetch_add`, `fetch_sub`.
    Add,
    /// It combines what it finds with a given value: `fetch_or`, `fetch_max`.
    Combine,
}

/// What a visible operation does to its object. The object is in [`Event::object`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Atomic load.
    Load(Ordering),
    /// Atomic store.
    Store(Ordering),
    /// Atomic read-modify-write, successful compare-exchange included.
    Rmw(Ordering, Update),
    /// A compare-exchange that failed: a read with the failure ordering.
    CasFail(Ordering),
    /// Lock acquired.
    Acquire(LockMode),
    /// A timed lock gave up.
    AcquireTimeout(LockMode),
    /// Lock given back, or exchanged for the weaker second mode.
    Release(LockMode, Option<LockMode>),
    /// Try-lock and whether it got the lock.
    TryAcquire(LockMode, bool),
    /// A writer comes to a reader-writer lock. It gets the lock at once (`true`), or begins to wait, and no further
    /// reader gets in before it.
    Arrive(bool),
    /// Condition variable: gives the mutex back and starts to wait, in one step. `object` is the condvar.
    Wait,
    /// Condition variable: wakes holding the mutex again; `true` if by timeout.
    Wake(bool),
    /// Condition variable: stops waiting without having been notified, `true` because its time is up, `false`
    /// spuriously. Reacquiring the mutex is a separate step, [`Action::Wake`].
    WaitOver(bool),
    /// `notify_one` or (`true`) `notify_all`.
    Notify(bool),
    /// `park` returns; `true` if without the token: by timeout or spuriously. `object` is the token of the thread.
    Park(bool),
    /// Token made available.
    Unpark,
    /// Message put into a channel; `false` if it was full or closed.
    Send(Blocking, bool),
    /// Rendezvous channel: the send is complete; `false` if the receiver went away and the message came back.
    SendTaken(bool),
    /// Rendezvous channel: starts to wait for a message. `object` is the set of waiting receivers.
    ReceiveBegin,
    /// Message taken from a channel; `false` if it was empty, closed or timed out.
    Receive(Blocking, bool),
    /// A sender or a receiver went away or was cloned.
    Endpoint,
    /// Entered a `Once`-like object; `true` if this thread runs the initialiser.
    OnceBegin(bool),
    /// The initialiser ended; `true` if the object is now complete. Of a lock, which is then the second object too: its
    /// poison flag is cleared.
    OnceEnd(bool),
    /// Looked whether a `Once`-like object is complete. Of a lock, which is then the second object too: whether it is
    /// poisoned.
    OncePeek(bool),
    /// Arrived at a barrier.
    BarrierArrive,
    /// Left a barrier; `true` for the leader.
    BarrierLeave(bool),
    /// Kernel futex wait returns; `true` if by timeout or because the value differed.
    FutexWait(bool),
    /// Kernel futex wake.
    FutexWake,
    /// A virtual thread was created; `object` names the new thread's end.
    Spawn(ThreadIndex),
    /// Waited for the end of a virtual thread.
    Join(ThreadIndex),
    /// First step of a thread.
    Begin,
    /// Last step of a thread.
    End,
    /// Memory fence.
    Fence(Ordering),
    /// A block of inline assembly that may use any memory. One that is known to use a single object is an
    /// [`Action::Rmw`] or, if it left that as it was, an [`Action::CasFail`]; its second object is what all blocks have
    /// in common.
    Assembly,
    /// Plain read of memory that is [visible](super::VisibleBytes). The value read is not known.
    PlainRead,
    /// Plain write of visible memory, or a copy to it. [`Event::second`] is visible memory that it is copied from, if
    /// any.
    PlainWrite,
    /// A future that may be dropped or polled without having been woken is looked at again, or one is polled because no
    /// thread can run. `object` is the waker of the thread; what came of it is in [`Event::read`] (see
    /// [`AwaitEnd`]).
    Await,
    /// `yield_now`, `spin_loop`, or an iteration of a loop that re-reads what has not changed; by the name [`REST`],
    /// the end of a wait until no other thread could run.
    Yield,
    /// `sleep` returns.
    Sleep,
    /// A call of the test starts (harness gate).
    CallBegin,
    /// A call of the test has its result and is about to drop it: a guard is held until here, and given back after.
    CallHold,
    /// A thread of the test has returned from all its calls and waits for the other threads to do so: the end of a
    /// thread is not part of a call.
    LaneEnd,
}

impl Action {
    /// False for operations that fail instead of waiting.
    #[inline]
    #[must_use]
    pub fn waits(self) -> bool {
        !matches!(
            self,
            Self::TryAcquire(..)
                | Self::Send(Blocking::Tries, _)
                | Self::Receive(Blocking::Tries, _)
        )
    }
}

/// How a wait of [`Action::Await`] ended, as [`Event::read`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AwaitEnd {
    /// The future is polled: it was woken.
    Woken,
    /// The future is dropped.
    Cancelled,
    /// The future is dropped, although it was woken.
    CancelledWoken,
    /// The future is polled although it was not woken.
    PolledAgain,
    /// The future is polled to see whether it is ready although nothing woke it: no thread can run.
    Probed,
    /// The future is polled by the thread that wakes it.
    PolledInWake,
    /// The future is kept, and not polled any more.
    Kept,
}

/// Name of the event at the end of a poll that began with [`AwaitEnd::PolledInWake`].
pub const POLLED_IN_WAKE: &str = "polled in wake";

/// Name of the event from which on the waker of a future may poll it.
pub const LENT: &str = "lend";

/// Name of the operation of a thread that has waited until no other one could run ([`Action::Yield`]).
pub const REST: &str = "rest";

impl AwaitEnd {
    /// As [`Event::read`].
    #[must_use]
    pub fn bits(self) -> u64 {
        self as u64
    }

    /// The one with these bits.
    #[must_use]
    pub fn of_bits(bits: u64) -> Self {
        match bits {
            0 => Self::Woken,
            1 => Self::Cancelled,
            2 => Self::CancelledWoken,
            3 => Self::PolledAgain,
            5 => Self::PolledInWake,
            6 => Self::Kept,
            _ => Self::Probed,
        }
    }
}

/// Bits of [`Event::wrote`] of an operation on a channel: how the channel was before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelBefore;

impl ChannelBefore {
    /// There was no room.
    pub const FULL: u64 = 1;
    /// There was no sender.
    pub const NO_SENDER: u64 = 2;
    /// There was no receiver.
    pub const NO_RECEIVER: u64 = 4;
    /// Where the mask of threads begins.
    pub const MASK_AT: u32 = 8;
}

/// One executed visible operation. `(thread, index)` identifies it inside one execution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// The thread.
    pub thread: ThreadIndex,
    /// Number of the operation in its thread, counting from 0.
    pub index: u32,
    /// Number of the harness call it belongs to, counting from 0 in each thread; `None` outside calls.
    pub call: Option<u16>,
    /// What.
    pub action: Action,
    /// On which object; [`ObjectId::NONE`] if on none.
    pub object: ObjectId,
    /// A second object that it changes: the mutex of a condition wait, the queue of a futex; of a reader that gives its
    /// lock back while a writer waits for that, the lock once more. Else [`ObjectId::NONE`].
    pub second: ObjectId,
    /// Source location of the operation, or of the guard's acquisition for a release.
    pub location: &'static Location<'static>,
    /// Name of the method as written in the source, e.g. `compare_exchange`. Only shown and hashed: what the operation
    /// does is in `action`.
    pub name: &'static str,
    /// Value read, as bits (atomics; of a store, the value it replaced). Channels: messages in the queue before.
    /// Unpark: 1 if the token was there before, or the waker is not that of the newest poll.
    pub read: u64,
    /// Value written, as bits (atomics). Notify, futex wake and the last arrival at a barrier: mask of the threads
    /// woken, the first 64 of them. Channels: what was so before ([`ChannelBefore`]), and from bit 8 on the mask of the
    /// threads whose rendezvous completes, the first 56. The end of a rendezvous: number of the message in its channel.
    pub wrote: u64,
}

// Every operation of every execution is written down.
const _: () = assert!(size_of::<Action>() <= 4 && size_of::<Event>() <= 64);

/// The next visible operation of a thread, published before it is executed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pending {
    /// What it would do if executed now (a compare-exchange is [`Action::Rmw`] or [`Action::CasFail`] by the present
    /// value).
    pub action: Action,
    /// On which object.
    pub object: ObjectId,
    /// As [`Event::second`].
    pub second: ObjectId,
    /// Name of the method, e.g. `compare_exchange`.
    pub name: &'static str,
    /// What a decision for this operation has in [`Schedule::checks`](super::Schedule::checks).
    pub check: u8,
}

impl Event {
    /// The lock that the thread takes or gives back here, and whether it takes it. Who waits for a condition variable
    /// gives its mutex back, and takes it again when it wakes.
    #[must_use]
    pub fn lock_taken(&self) -> Option<(ObjectId, bool)> {
        Some(match self.action {
            Action::Acquire(_) | Action::TryAcquire(_, true) | Action::Arrive(true) => {
                (self.object, true)
            }
            Action::Wake(_) if self.second != ObjectId::NONE => (self.second, true),
            Action::Wait => (self.second, false),
            Action::Release(_, None) => (self.object, false),
            _ => return None,
        })
    }
}
