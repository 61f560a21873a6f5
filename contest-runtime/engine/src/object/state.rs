//! State of one object. One flat type serves all primitives: an object is used as one kind only, and a table of equal,
//! reusable records costs no allocation per execution.

use std::hash::{Hash, Hasher};
use std::panic::Location;

use contest_data::trace::{ChannelBefore, LockMode, ThreadIndex, ThreadSet};

/// State of one object in one execution.
#[derive(Clone, Debug)]
pub(crate) struct ObjectState {
    /// Type name in reports: `Mutex`, `AtomicUsize`, `channel`.
    pub what: &'static str,
    /// Number of writes so far.
    pub version: u32,
    /// Threads whose published operation concerns it.
    pub concerned: ThreadSet,
    /// Threads that spin on it.
    pub spinners: ThreadSet,

    /// Lock: exclusive holder.
    pub owner: Option<ThreadIndex>,
    /// Lock: upgradable holder.
    pub upgrader: Option<ThreadIndex>,
    /// Lock: threads that hold it in read mode.
    pub readers: ThreadSet,
    /// Lock: number of read guards.
    pub read_count: u32,
    /// Lock: where it was last taken.
    pub taken_at: Option<&'static Location<'static>>,

    /// Condition variable or futex: threads that wait and are not notified yet. Barrier: threads of the present round.
    /// Receivers of a rendezvous channel: those that wait. Lock: writers that have come while readers held it; until no
    /// reader is left, no further one gets in.
    pub waiting: ThreadSet,

    /// `Once`: the thread that runs the initialiser.
    pub running: Option<ThreadIndex>,
    /// `Once`: the last initialiser failed.
    pub failed: bool,

    /// Barrier: arrivals of the present round, and the round. Channel: messages in the queue.
    pub count: usize,
    /// Barrier: number of the round.
    pub round: u32,

    /// Channel: capacity; `None` if unbounded.
    pub capacity: Option<usize>,
    /// Channel: senders alive.
    pub senders: usize,
    /// Channel: receivers alive.
    pub receivers: usize,
    /// Channel: messages taken so far (a rendezvous sender waits for its own to be taken).
    pub taken: u64,
    /// Channel: messages put in so far.
    pub put: u64,
}

impl ObjectState {
    pub(crate) fn new(what: &'static str) -> Self {
        Self {
            what,
            version: 0,
            concerned: ThreadSet::EMPTY,
            spinners: ThreadSet::EMPTY,
            owner: None,
            upgrader: None,
            readers: ThreadSet::EMPTY,
            read_count: 0,
            taken_at: None,
            waiting: ThreadSet::EMPTY,
            running: None,
            failed: false,
            count: 0,
            round: 0,
            capacity: None,
            senders: 1,
            receivers: 1,
            taken: 0,
            put: 0,
        }
    }

    /// Hashes all that decides what the next operation does. Versions and numbers of messages are only ever compared
    /// with earlier ones of the same execution, so they do not count.
    pub(crate) fn hash_meaning(&self, hasher: &mut impl Hasher) {
        self.what.hash(hasher);
        (self.owner, self.upgrader, self.running).hash(hasher);
        (self.readers, self.waiting).hash(hasher);
        (self.read_count, self.failed, self.count, self.round).hash(hasher);
        (self.capacity, self.senders, self.receivers).hash(hasher);
    }

    /// True if a thread that requests the lock in this mode gets it now: no holder is in its way, and who comes to read
    /// is not preceded by a waiting writer.
    #[inline]
    pub(crate) fn admits(&self, mode: LockMode) -> bool {
        self.is_free(mode) && (mode == LockMode::Exclusive || self.waiting.is_empty())
    }

    /// True if a writer may come now: at once, or to wait for readers.
    pub(crate) fn is_unwritten(&self) -> bool {
        self.owner.is_none() && self.upgrader.is_none()
    }

    /// True if no thread holds the lock in a mode that is incompatible with this one.
    #[inline]
    pub(crate) fn is_free(&self, mode: LockMode) -> bool {
        self.owner.is_none()
            && match mode {
                LockMode::Exclusive => self.read_count == 0 && self.upgrader.is_none(),
                LockMode::Read => true,
                LockMode::Upgradable => self.upgrader.is_none(),
            }
    }

    /// True if the upgradable holder can become the exclusive one now.
    pub(crate) fn can_upgrade(&self) -> bool {
        self.read_count == 0
    }

    pub(crate) fn acquire(
        &mut self,
        thread: ThreadIndex,
        mode: LockMode,
        at: &'static Location<'static>,
    ) {
        match mode {
            LockMode::Exclusive => {
                self.owner = Some(thread);
                self.upgrader = None;
            }
            LockMode::Upgradable => self.upgrader = Some(thread),
            LockMode::Read => {
                self.readers.insert(thread);
                self.read_count += 1;
            }
        }
        self.taken_at = Some(at);
    }

    pub(crate) fn release(&mut self, thread: ThreadIndex, mode: LockMode) {
        match mode {
            LockMode::Exclusive => self.owner = None,
            LockMode::Upgradable => self.upgrader = None,
            LockMode::Read => {
                self.read_count = self.read_count.saturating_sub(1);
                // A thread with several read guards stays listed until all guards are gone: good enough for a report.
                if self.read_count == 0 {
                    self.readers = ThreadSet::EMPTY;
                    // Whoever comes now may be the first; that a writer came before is as if it came only now.
                    self.waiting = ThreadSet::EMPTY;
                } else if self.read_count < self.readers.len() {
                    self.readers.remove(thread);
                }
            }
        }
    }

    /// Threads that hold the lock.
    pub(crate) fn holders(&self) -> ThreadSet {
        let upgrader: ThreadSet = self.upgrader.into_iter().collect();
        self.owner.map_or(self.readers | upgrader, ThreadSet::only)
    }

    /// True if a send may go ahead (or fail) now.
    pub(crate) fn can_send(&self) -> bool {
        self.receivers == 0
            || self
                .capacity
                .is_none_or(|capacity| self.count < capacity.max(1))
    }

    /// How the channel is now, in the bits of [`ChannelBefore`].
    pub(crate) fn before(&self) -> u64 {
        let full = self
            .capacity
            .is_some_and(|capacity| self.count >= capacity.max(1));
        let bit = |condition: bool, bit: u64| if condition { bit } else { 0 };
        bit(full, ChannelBefore::FULL)
            | bit(self.senders == 0, ChannelBefore::NO_SENDER)
            | bit(self.receivers == 0, ChannelBefore::NO_RECEIVER)
    }

    /// True if a receive may go ahead (or fail) now.
    pub(crate) fn can_receive(&self) -> bool {
        self.count > 0 || self.senders == 0
    }
}
