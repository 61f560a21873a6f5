//! Drop-in for parking_lot_core 0.8 to 0.10, of which crates make locks of their own: one queue for all keys, under one
//! lock.
//!
//! Not a module of contest-std: `cargo contest` compiles these files in place of parking_lot_core where a crate under
//! test depends on that (`instrument/lock_stand_in.rs` of the tool), with its facade for `std`. What differs:
//! * Nothing spins: [`SpinWait::spin`] says at once that it is time to park, which is so whenever a lock stays taken
//!   for long enough.
//! * An unpark is never to be fair, which depends on time.
//! * Threads that park or unpark at the same time are ordered by the one lock, whatever their keys are.
//! * There is no deadlock detection.

mod queue;

use std::time::Instant;

use queue::Queue;

/// As in parking_lot_core.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum ParkResult {
    /// Another thread has unparked this one, with this token.
    Unparked(UnparkToken),
    /// It was not to be parked.
    Invalid,
    /// The deadline passed.
    TimedOut,
}

impl ParkResult {
    /// True if another thread has unparked this one.
    #[must_use]
    pub const fn is_unparked(self) -> bool {
        matches!(self, Self::Unparked(_))
    }
}

/// As in parking_lot_core.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
#[non_exhaustive]
pub struct UnparkResult {
    /// Threads that were unparked.
    pub unparked_threads: usize,
    /// Threads that were moved to another key.
    pub requeued_threads: usize,
    /// Whether others stay parked, if one was unparked.
    pub have_more_threads: bool,
    /// Whether a lock should be handed over.
    pub be_fair: bool,
}

/// As in parking_lot_core.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum RequeueOp {
    /// Nothing is done.
    Abort,
    /// One is unparked, the others are moved.
    UnparkOneRequeueRest,
    /// All are moved.
    RequeueAll,
    /// One is unparked, the others stay.
    UnparkOne,
    /// One is moved, the others stay.
    RequeueOne,
}

/// As in parking_lot_core.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum FilterOp {
    /// It is unparked.
    Unpark,
    /// It stays.
    Skip,
    /// It stays, and so do those behind it.
    Stop,
}

/// As in parking_lot_core.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct UnparkToken(pub usize);

/// As in parking_lot_core.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct ParkToken(pub usize);

/// As in parking_lot_core.
pub const DEFAULT_UNPARK_TOKEN: UnparkToken = UnparkToken(0);

/// As in parking_lot_core.
pub const DEFAULT_PARK_TOKEN: ParkToken = ParkToken(0);

/// As in parking_lot_core.
///
/// # Safety
/// As there: who does not own the key disturbs those who do.
#[track_caller]
pub unsafe fn park(
    key: usize,
    validate: impl FnOnce() -> bool,
    before_sleep: impl FnOnce(),
    timed_out: impl FnOnce(usize, bool),
    park_token: ParkToken,
    timeout: Option<Instant>,
) -> ParkResult {
    let number = {
        let mut queue = Queue::lock();
        if !validate() {
            return ParkResult::Invalid;
        }
        queue.join(key, park_token)
    };
    before_sleep();
    Queue::lock().wait(number, timeout, timed_out)
}

/// As in parking_lot_core.
///
/// # Safety
/// As there: who does not own the key disturbs those who do.
#[track_caller]
pub unsafe fn unpark_one(
    key: usize,
    callback: impl FnOnce(UnparkResult) -> UnparkToken,
) -> UnparkResult {
    let mut queue = Queue::lock();
    let first = queue.of(key).take(1).collect();
    queue.unpark(key, first, callback)
}

/// As in parking_lot_core.
///
/// # Safety
/// As there: who does not own the key disturbs those who do.
#[track_caller]
pub unsafe fn unpark_all(key: usize, unpark_token: UnparkToken) -> usize {
    let mut queue = Queue::lock();
    let all = queue.of(key).collect();
    queue.unpark(key, all, |_| unpark_token).unparked_threads
}

/// As in parking_lot_core.
///
/// # Safety
/// As there: who does not own the key disturbs those who do.
#[track_caller]
pub unsafe fn unpark_filter(
    key: usize,
    mut filter: impl FnMut(ParkToken) -> FilterOp,
    callback: impl FnOnce(UnparkResult) -> UnparkToken,
) -> UnparkResult {
    let mut queue = Queue::lock();
    let mut chosen = Vec::new();
    for number in queue.of(key) {
        match filter(queue.token(number)) {
            FilterOp::Unpark => chosen.push(number),
            FilterOp::Skip => {}
            FilterOp::Stop => break,
        }
    }
    queue.unpark(key, chosen, callback)
}

/// As in parking_lot_core.
///
/// # Safety
/// As there: who does not own the keys disturbs those who do.
#[track_caller]
pub unsafe fn unpark_requeue(
    key_from: usize,
    key_to: usize,
    validate: impl FnOnce() -> RequeueOp,
    callback: impl FnOnce(RequeueOp, UnparkResult) -> UnparkToken,
) -> UnparkResult {
    let mut queue = Queue::lock();
    let operation = validate();
    let (unparked, moved) = match operation {
        RequeueOp::Abort => return UnparkResult::default(),
        RequeueOp::UnparkOneRequeueRest => (1, usize::MAX),
        RequeueOp::RequeueAll => (0, usize::MAX),
        RequeueOp::UnparkOne => (1, 0),
        RequeueOp::RequeueOne => (0, 1),
    };
    let all: Vec<usize> = queue.of(key_from).collect();
    let (first, rest) = all.split_at(unparked.min(all.len()));
    let moved = &rest[..moved.min(rest.len())];
    queue.requeue(moved, key_to);
    let result = |result| UnparkResult {
        requeued_threads: moved.len(),
        ..result
    };
    let done = queue.unpark(key_from, first.to_vec(), |it| {
        callback(operation, result(it))
    });
    result(done)
}

/// As in parking_lot_core, where what it does is a feature.
pub mod deadlock {
    /// Does nothing.
    ///
    /// # Safety
    /// There is nothing to keep.
    pub unsafe fn acquire_resource(_key: usize) {}

    /// Does nothing.
    ///
    /// # Safety
    /// There is nothing to keep.
    pub unsafe fn release_resource(_key: usize) {}
}

/// As in parking_lot_core, and does not spin.
#[derive(Debug, Default)]
pub struct SpinWait(());

impl SpinWait {
    /// As in parking_lot_core.
    #[must_use]
    pub const fn new() -> Self {
        Self(())
    }

    /// As in parking_lot_core.
    pub const fn reset(&mut self) {}

    /// False: it is time to park.
    pub fn spin(&mut self) -> bool {
        false
    }

    /// Returns at once.
    pub fn spin_no_yield(&mut self) {}
}
