//! One virtual thread: its published operation, what must hold before it can go on, its coroutine.

use std::ops::Range;
use std::panic::Location;
use std::time::Duration;

use super::active::PollStep;
use super::polling::PollState;
use super::spinning::SpinState;
use super::thread_locals::ThreadLocals;
use crate::object::MOST_THREADS;
use contest_data::decision::Places;
use contest_data::trace::{LockMode, ObjectId, Place, ThreadIndex};

/// What must hold before a published operation can be executed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Gate {
    /// Nothing.
    Open,
    /// The lock is free in this mode, and no writer that waits goes first.
    Lock(ObjectId, LockMode),
    /// No writer holds the lock: a writer comes.
    Arrive(ObjectId),
    /// A lock whose readers may read again while a writer waits.
    ReadAgain(ObjectId),
    /// No reader is left beside the upgradable holder, which is this thread.
    Upgrade(ObjectId),
    /// Notified on the condition variable, and the mutex is free.
    Wake(ObjectId, ObjectId),
    /// No other thread runs the initialiser.
    Once(ObjectId),
    /// Room in the channel, or no receiver.
    Send(ObjectId),
    /// The message with this number was taken, or no receiver is left.
    Taken(ObjectId, u64),
    /// A message, or no sender.
    Receive(ObjectId),
    /// The barrier has moved past this round.
    Barrier(ObjectId, u32),
    /// The park token is there.
    Park,
    /// The future that the thread runs was woken.
    Woken,
    /// The signal is set.
    Signal(ObjectId),
    /// The thread has ended.
    Join(ThreadIndex),
    /// The thread has ended, or is held up while it drops its thread-locals.
    Leave(ThreadIndex),
    /// Woken on the futex.
    Futex(ObjectId),
    /// All threads of the test have returned from their calls.
    Lanes,
    /// Only time can open it.
    Never,
}

/// A compare-exchange that has been published: whether it would succeed is found out on demand.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingExchange {
    pub address: usize,
    pub size: u8,
    pub expected: u64,
}

/// What a thread that runs futures keeps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TaskState {
    /// Woken by another thread.
    pub woken: bool,
    /// Woken by itself, which no other thread can observe.
    pub woken_by_itself: bool,
    /// Number of the newest poll of the future of a call; only its waker wakes.
    pub polls: u32,
    /// The thread runs the future of a call: when no thread can run, it is polled to see whether it is ready.
    pub probeable: bool,
    /// Polls the future of its call, while it waits for a waker that does so.
    pub lent: Option<PollStep>,
    /// Another thread polls it: this one must not.
    pub is_polled: bool,
    /// Where its newest poll handed out the waker.
    pub awaits: Option<Place>,
    /// It is polled for that, or was.
    pub probed: bool,
    /// That poll found it ready.
    pub ready: bool,
    /// The thread keeps it for good, without polling it.
    pub kept: bool,
    /// Aborted; ends at its next poll.
    pub aborted: bool,
    /// Futures that it runs, one inside the other.
    pub futures: u32,
    /// Numbers drawn from the thread's generator.
    pub drawn: u64,
    /// No join handle is left: it is no deadlock if it never ends.
    pub detached: bool,
}

#[derive(Debug)]
pub(super) struct VirtualThread {
    pub name: Option<String>,
    pub gate: Gate,
    /// Objects that the gate looks at, while it is not open.
    pub looks_at: (ObjectId, ObjectId),
    pub deadline: Option<Duration>,
    /// How long the published operation may wait, if it has a deadline.
    pub patience: Duration,
    /// Set when a timeout, not the gate, lets it go on.
    pub timed_out: bool,
    /// Condition variable or futex: notified.
    pub notified: bool,
    /// Park token.
    pub token: bool,
    /// What the thread keeps for `block_on`.
    pub task: TaskState,
    pub exchange: Option<PendingExchange>,
    /// Where the next atomic operation counts as an access, if not at its address; else 0.
    pub atomic_location: usize,
    pub location: &'static Location<'static>,
    /// Number of events when the thread was made.
    pub born: u32,
    /// Number of visible operations so far.
    pub executed: u32,
    /// How often it has looked at the clock.
    pub looks: u32,
    /// Atomic operations that changed something and are not visible, where they are reported.
    pub inner: u32,
    /// Operations of that kind since the last visible one: the number of that, and how many.
    #[allow(dead_code, reason = "for the layer of accesses, where there is one")]
    pub inner_since: (u32, u32),
    /// Harness call in progress.
    pub call: Option<u16>,
    /// Index of that call's record.
    pub call_record: usize,
    /// Visible operations when the call had its result; `u32::MAX` before.
    pub executed_at_hold: u32,
    /// Where the value lies that the thread turns into text, if it does.
    pub shows: Option<Range<usize>>,
    /// The text lacks what is behind a lock that is no part of the value.
    pub shown_in_part: bool,
    /// The real end of a once-initialiser was announced by `once_ending`.
    pub once_ending: bool,
    /// Its body is over: it drops its thread-locals.
    pub drops_locals: bool,
    /// It did so in steps that others may notice.
    pub drops_visibly: bool,
    /// Panics that it may unwind from: those that were not seen to be caught.
    pub panics: u32,
    pub ended: bool,
    /// It is one of a scope of this thread, and may share what is on its stack.
    pub scope_of: Option<ThreadIndex>,
    /// Given up during teardown.
    pub stuck: bool,
    /// Lowest address of its stack, where the guard page is.
    pub stack_limit: usize,
    pub spin: SpinState,
    pub poll: PollState,
    pub locals: ThreadLocals,
    /// End of the stack it runs on; 0 before it has one.
    pub stack_end: usize,
}

impl VirtualThread {
    pub(super) fn new() -> Self {
        Self {
            name: None,
            gate: Gate::Open,
            looks_at: (ObjectId::NONE, ObjectId::NONE),
            deadline: None,
            patience: Duration::ZERO,
            timed_out: false,
            notified: false,
            token: false,
            task: TaskState::default(),
            exchange: None,
            atomic_location: 0,
            location: Location::caller(),
            born: 0,
            executed: 0,
            looks: 0,
            inner: 0,
            inner_since: (0, 0),
            call: None,
            call_record: 0,
            executed_at_hold: u32::MAX,
            shows: None,
            shown_in_part: false,
            once_ending: false,
            drops_locals: false,
            drops_visibly: false,
            panics: 0,
            ended: false,
            scope_of: None,
            stuck: false,
            stack_limit: 0,
            spin: SpinState::default(),
            poll: PollState::default(),
            locals: ThreadLocals::default(),
            stack_end: 0,
        }
    }

    /// Makes the slot fit for a new thread; keeps its buffers and its stack.
    pub(super) fn renew(&mut self, location: &'static Location<'static>) {
        self.name = None;
        self.gate = Gate::Open;
        self.deadline = None;
        self.timed_out = false;
        self.notified = false;
        self.token = false;
        self.task = TaskState::default();
        self.exchange = None;
        self.atomic_location = 0;
        self.location = location;
        self.executed = 0;
        self.looks = 0;
        self.inner = 0;
        self.inner_since = (0, 0);
        self.call = None;
        self.once_ending = false;
        self.drops_locals = false;
        self.drops_visibly = false;
        self.panics = 0;
        self.ended = false;
        self.stuck = false;
        self.spin.clear();
        self.poll.clear();
        self.locals.forget();
    }
}

/// Where threads are.
#[derive(Debug)]
pub(super) struct ThreadPlaces<'t>(pub &'t [VirtualThread; MOST_THREADS]);

impl Places for ThreadPlaces<'_> {
    fn place(&self, thread: ThreadIndex) -> Option<&'static Location<'static>> {
        self.0.get(thread.index()).map(|thread| thread.location)
    }
}
