//! What a drop-in type calls inside an execution. Each method is one visible operation: it publishes the operation, lets the
//! strategy pick who goes on, and returns when it is this thread's turn and the operation is enabled.
//!
//! The real `std` object stays the truth: a drop-in `Mutex` asks [`Active::lock`] first and then takes the real lock, which must
//! succeed at once. The engine keeps, by address, only who holds and who waits.

use std::marker::PhantomData;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::trace::{LockMode, ThreadIndex};

/// The execution that runs on this OS thread. Not `Send`.
#[derive(Clone, Copy, Debug)]
pub struct Active(PhantomData<*mut ()>);

/// The execution that runs on this OS thread, if any; outside, drop-in types behave as the real ones.
/// `None` too while an unfinished execution is being torn down.
#[inline]
#[must_use]
pub fn active() -> Option<Active> {
    None
}

/// What an atomic operation may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AtomicKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes.
    Rmw,
    /// Writes if the value equals these bits; the second ordering is that of failure.
    CompareExchange(u64, Ordering),
}

/// An atomic operation before it is executed.
#[derive(Clone, Copy, Debug)]
pub struct AtomicOperation {
    /// Address of the atomic.
    pub address: usize,
    /// Size in bytes: 1, 2, 4, 8 (16 is reported as 8 with `Rmw`).
    pub size: u8,
    /// What it may do.
    pub kind: AtomicKind,
    /// Its (success) ordering.
    pub ordering: Ordering,
    /// Method name, e.g. `fetch_add`.
    pub name: &'static str,
}

/// What an atomic operation did.
#[derive(Clone, Copy, Debug)]
pub enum AtomicEffect {
    /// Read these bits and wrote nothing.
    Read(u64),
    /// Wrote these bits.
    Wrote(u64),
    /// Read the first, wrote the second.
    ReadWrote(u64, u64),
}

/// Answer to a thread that enters a `Once`-like object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnceEntry {
    /// It is complete (according to the `complete` closure given to [`Active::once_begin`]).
    Complete,
    /// This thread runs the initialiser now and must call [`Active::once_end`].
    Run,
}

/// Answer to a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// There is room: put the message into the real queue now.
    Room,
    /// All receivers are gone.
    Closed,
    /// No room, and the call does not wait (or its time ran out).
    Full,
}

/// Answer to a receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// A message is there: take it from the real queue now.
    Message,
    /// The queue is empty and all senders are gone.
    Closed,
    /// Empty, and the call does not wait.
    Empty,
    /// Empty until the time ran out.
    TimedOut,
}

impl Active {
    /// One atomic operation: waits for the turn of this thread, then runs `perform` on the real atomic.
    #[track_caller]
    pub fn atomic<R>(
        self,
        operation: AtomicOperation,
        perform: impl FnOnce() -> (R, AtomicEffect),
    ) -> R {
        let _ = operation;
        perform().0
    }

    /// Memory fence.
    #[track_caller]
    pub fn fence(self, ordering: Ordering) {
        let _ = ordering;
    }

    /// Takes the lock at `address`, waiting as long as it is held in an incompatible mode, at most `timeout` of virtual time.
    /// Returns false if time ran out. `what` names the type in reports, e.g. `Mutex`. `is_free` looks at the real lock: the
    /// engine asks it when its own record says "held", because memory may have been reused for a new lock.
    #[track_caller]
    pub fn lock(
        self,
        address: usize,
        mode: LockMode,
        what: &'static str,
        timeout: Option<Duration>,
        is_free: impl Fn() -> bool,
    ) -> bool {
        let _ = (address, mode, what, timeout, is_free);
        true
    }

    /// Tries to take the lock; true if this thread holds it now (then the real try-lock must succeed).
    #[track_caller]
    pub fn try_lock(
        self,
        address: usize,
        mode: LockMode,
        what: &'static str,
        is_free: impl Fn() -> bool,
    ) -> bool {
        let _ = (address, mode, what, is_free);
        true
    }

    /// Gives the lock back: waits for the turn of this thread, then runs `release`, which drops the real guard.
    pub fn unlock<R>(self, address: usize, mode: LockMode, release: impl FnOnce() -> R) -> R {
        let _ = (address, mode);
        release()
    }

    /// Turns an exclusive lock of this thread into a read lock in one step: waits for the turn of this thread, then runs `downgrade` on
    /// the real lock.
    #[track_caller]
    pub fn downgrade<R>(self, address: usize, downgrade: impl FnOnce() -> R) -> R {
        let _ = address;
        downgrade()
    }

    /// Condition wait on `condvar`, giving the mutex at `lock` back by `release` in the same step. Returns when notified (or
    /// timed out, or spuriously woken) and the mutex is this thread's again; the caller then takes the real mutex.
    /// True if it timed out.
    #[track_caller]
    pub fn wait(
        self,
        condvar: usize,
        lock: usize,
        timeout: Option<Duration>,
        release: impl FnOnce(),
    ) -> bool {
        let _ = (condvar, lock, timeout);
        release();
        false
    }

    /// Wakes one waiter of the condition variable, or all.
    #[track_caller]
    pub fn notify(self, condvar: usize, all: bool) {
        let _ = (condvar, all);
    }

    /// Enters a `Once`-like object: waits while another thread runs the initialiser. `complete` looks at the real object.
    #[track_caller]
    pub fn once_begin(
        self,
        address: usize,
        what: &'static str,
        complete: impl Fn() -> bool,
    ) -> OnceEntry {
        let _ = (address, what);
        if complete() {
            OnceEntry::Complete
        } else {
            OnceEntry::Run
        }
    }

    /// The initialiser ended; `complete` says whether the object is initialised now (false after a panic or an `Err`).
    #[track_caller]
    pub fn once_end(self, address: usize, complete: bool) {
        let _ = (address, complete);
    }

    /// Waits, without running anything, until the object is complete (`OnceLock::wait`, `Once::wait`).
    #[track_caller]
    pub fn once_wait(self, address: usize, what: &'static str, complete: impl Fn() -> bool) {
        let _ = (address, what, complete);
    }

    /// A look at a `Once`-like object (`get`, `is_completed`): one visible read; returns what `look` returns. `complete` is applied
    /// to the result for the record.
    #[track_caller]
    pub fn once_peek<R>(
        self,
        address: usize,
        what: &'static str,
        look: impl FnOnce() -> R,
        complete: impl FnOnce(&R) -> bool,
    ) -> R {
        let _ = (address, what, complete);
        look()
    }

    /// Arrives at a barrier for `n` threads and waits for the others; true for the leader.
    #[track_caller]
    pub fn barrier_wait(self, address: usize, n: usize) -> bool {
        let _ = (address, n);
        true
    }

    /// Asks to send on the channel whose shared state is at `address`. `length` tells the real queue length, `capacity` is `None`
    /// for an unbounded channel, `wait` is false for `try_send`. After [`Sent::Room`] the caller pushes the message at once.
    /// A rendezvous channel has capacity 0: the send then completes only when a receiver took the message.
    #[track_caller]
    pub fn channel_send(
        self,
        address: usize,
        capacity: Option<usize>,
        wait: bool,
        push: impl FnOnce(),
    ) -> Sent {
        let _ = (address, capacity, wait);
        push();
        Sent::Room
    }

    /// Asks to receive. After [`Received::Message`] the caller pops the message at once. `wait`: false for `try_recv`.
    #[track_caller]
    pub fn channel_receive(
        self,
        address: usize,
        wait: bool,
        timeout: Option<Duration>,
    ) -> Received {
        let _ = (address, wait, timeout);
        Received::Empty
    }

    /// Tells that a channel came to be, with its capacity.
    pub fn channel_new(self, address: usize, capacity: Option<usize>) {
        let _ = (address, capacity);
    }

    /// Number of senders and receivers changed (clone or drop).
    #[track_caller]
    pub fn channel_endpoints(self, address: usize, senders: usize, receivers: usize) {
        let _ = (address, senders, receivers);
    }

    /// Creates a virtual thread that runs `body`; `body` must not unwind (catch panics inside).
    ///
    /// # Safety
    /// Everything `body` borrows must live until the thread has ended or the execution is over.
    #[track_caller]
    pub unsafe fn spawn<F: FnOnce()>(self, name: Option<&str>, body: F) -> ThreadIndex {
        let _ = name;
        body();
        ThreadIndex(1)
    }

    /// Creates a virtual thread from a body that owns what it uses; otherwise as [`Active::spawn`].
    #[track_caller]
    pub fn spawn_owned<F: FnOnce() + 'static>(self, name: Option<&str>, body: F) -> ThreadIndex {
        // SAFETY: the body borrows nothing.
        unsafe { self.spawn(name, body) }
    }

    /// Waits for the end of a virtual thread.
    #[track_caller]
    pub fn join(self, thread: ThreadIndex) {
        let _ = thread;
    }

    /// True if the thread has ended (`JoinHandle::is_finished`); a visible read.
    #[track_caller]
    pub fn is_finished(self, thread: ThreadIndex) -> bool {
        let _ = thread;
        true
    }

    /// The thread that runs now.
    #[must_use]
    pub fn current(self) -> ThreadIndex {
        ThreadIndex::MAIN
    }

    /// Name given to a thread at its creation.
    #[must_use]
    pub fn thread_name(self, thread: ThreadIndex) -> Option<String> {
        let _ = thread;
        None
    }

    /// Waits for the token of this thread; true if it timed out.
    #[track_caller]
    pub fn park(self, timeout: Option<Duration>) -> bool {
        let _ = timeout;
        false
    }

    /// Makes the token of `thread` available.
    #[track_caller]
    pub fn unpark(self, thread: ThreadIndex) {
        let _ = thread;
    }

    /// Gives way: `yield_now` and `spin_loop`. Waits until something the thread read since its last yield was written by another
    /// thread, if anybody else can run.
    #[track_caller]
    pub fn yield_now(self, name: &'static str) {
        let _ = name;
    }

    /// Sleeps for a span of virtual time.
    #[track_caller]
    pub fn sleep(self, duration: Duration) {
        let _ = duration;
    }

    /// Kernel futex wait: blocks while the 32-bit word at `address` holds `expected`, until woken. 0 on wake-up, else an errno
    /// (`EAGAIN`, `ETIMEDOUT`).
    #[track_caller]
    pub fn futex_wait(self, address: usize, expected: u32, timeout: Option<Duration>) -> i32 {
        let _ = (address, expected, timeout);
        0
    }

    /// Kernel futex wake of at most `count` waiters; returns how many were woken.
    #[track_caller]
    pub fn futex_wake(self, address: usize, count: u32) -> u32 {
        let _ = (address, count);
        0
    }

    /// Virtual time since the start of the execution. Not a visible operation; every call moves the clock a little.
    #[must_use]
    pub fn now(self) -> Duration {
        Duration::ZERO
    }

    /// Ends the execution at once: the code under test asked to end the process.
    pub fn exit(self, call: &str) -> ! {
        panic!("{call}")
    }

    /// Value of the thread-local of the running virtual thread whose key is at `key`, made by `init` at first use and dropped when the
    /// thread ends, in reverse order of creation. `None` while or after it is being dropped.
    pub fn thread_local<T: 'static>(
        self,
        key: usize,
        init: impl FnOnce() -> T,
    ) -> Option<*const T> {
        let _ = (key, init);
        None
    }

    /// A call of a generated test begins (see [`subject`](crate::subject)); a scheduling point.
    pub fn call_begin(self, call: u16) {
        let _ = call;
    }

    /// The call ended with this outcome.
    pub fn call_end(self, outcome: crate::trace::Outcome) {
        let _ = outcome;
    }
}
