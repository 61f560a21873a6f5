//! Clocks of threads and objects, and the rules by which they pass from one to another.
//!
//! Names as in Flanagan and Freund, "FastTrack" (PLDI 2009), section 3: `C` is a thread's clock. Added for C++20 (N4861
//! [atomics.order], [atomics.fences]): `A`, what an acquire fence would acquire, and `R`, what the last release fence
//! released. Deviation: a thread's own number grows with everything it releases, not only with lock releases, so that
//! an epoch identifies exactly what was published.

use super::channels::ChannelClock;
use super::clock::{LANE, Rows};
use contest_data::trace::{ObjectId, ThreadIndex, ThreadSet};

/// Rows of a thread.
pub(super) const OWN: usize = 0;
pub(super) const TO_ACQUIRE: usize = 1;
pub(super) const FENCE_RELEASED: usize = 2;
pub(super) const THREAD_ROWS: usize = 3;

/// Rows of an object: what it hands on, and what the readers of a lock released.
const MESSAGE: usize = 0;
const READERS: usize = 1;
const OBJECT_ROWS: usize = 2;

/// The synchronisation of one execution, as it grows. Reused for the next one: a reset costs what the next execution
/// touches.
#[derive(Clone, Debug)]
pub(crate) struct Synchronisation {
    width: usize,
    pub(super) threads: Rows,
    live: usize,
    /// Threads for which these rows are in use. The others' are zero, whatever they contain: few threads ever use them.
    pub(super) to_acquire: ThreadSet,
    pub(super) fence_released: ThreadSet,
    objects: Rows,
    /// Objects below this have rows.
    known: usize,
    /// What single writes hand on, by number, where a read may take another one than the last.
    pub(super) messages: Rows,
    pub(super) known_messages: usize,
    /// Of the atomic operation that is performed next: the write that it reads, and its own.
    pub taken: Option<(u32, u32)>,
    pub channels: Vec<ChannelClock>,
    pub n_channels: usize,
    /// Threads that have arrived at a barrier and wait there.
    pub arrived: Vec<(ObjectId, ThreadSet)>,
}

impl Default for Synchronisation {
    fn default() -> Self {
        let mut this = Self {
            width: LANE,
            threads: Rows::default(),
            live: 0,
            to_acquire: ThreadSet::EMPTY,
            fence_released: ThreadSet::EMPTY,
            objects: Rows::default(),
            known: 0,
            messages: Rows::default(),
            known_messages: 0,
            taken: None,
            channels: Vec::new(),
            n_channels: 0,
            arrived: Vec::new(),
        };
        this.reset();
        this
    }
}

impl Synchronisation {
    /// Forgets everything; only the main thread exists.
    pub(crate) fn reset(&mut self) {
        // As wide as the last execution needed.
        self.width = self.live.next_power_of_two().max(LANE);
        self.threads.set_width(self.width);
        self.objects.set_width(self.width);
        self.live = 0;
        self.to_acquire = ThreadSet::EMPTY;
        self.fence_released = ThreadSet::EMPTY;
        self.known = 0;
        self.messages.set_width(self.width);
        self.known_messages = 0;
        self.taken = None;
        self.n_channels = 0;
        self.arrived.clear();
        self.add_thread(ThreadIndex::MAIN);
        self.threads.clear(OWN);
        self.step(ThreadIndex::MAIN);
    }

    /// The clock of a thread: an access of thread `u` at epoch `e` happens before what this thread does next if
    /// `clock[u] >= e`. As long as a power of two; threads beyond its end are unknown to this one.
    #[must_use]
    #[inline]
    pub(crate) fn clock(&self, thread: ThreadIndex) -> &[u32] {
        self.threads.row(thread.index() * THREAD_ROWS + OWN)
    }

    /// The epoch of a thread: the number that stands for what it does until it releases next.
    #[must_use]
    #[inline]
    pub(crate) fn epoch(&self, thread: ThreadIndex) -> u32 {
        self.threads
            .number(thread.index() * THREAD_ROWS + OWN, thread.index())
    }

    /// Makes room for a thread; its clock is still to be set.
    fn add_thread(&mut self, thread: ThreadIndex) {
        let index = thread.index();
        if index >= self.width {
            self.widen((index + 1).next_power_of_two());
        }
        self.live = self.live.max(index + 1);
        self.threads.fit(self.live * THREAD_ROWS);
    }

    #[cold]
    fn widen(&mut self, width: usize) {
        self.threads.widen(width, self.live * THREAD_ROWS);
        self.objects.widen(width, self.known * OBJECT_ROWS);
        self.messages.widen(width, self.known_messages);
        for channel in &mut self.channels[..self.n_channels] {
            channel.widen(width);
        }
        self.width = width;
    }

    #[inline]
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    #[inline]
    pub(crate) fn own(&mut self, thread: ThreadIndex) -> &mut [u32] {
        self.threads.row_mut(thread.index() * THREAD_ROWS + OWN)
    }

    /// What the thread did so far has been handed on.
    #[inline]
    pub(crate) fn step(&mut self, thread: ThreadIndex) {
        *self
            .threads
            .number_mut(thread.index() * THREAD_ROWS + OWN, thread.index()) += 1;
    }

    /// Row of an object, made at first use.
    #[inline]
    fn object(&mut self, object: ObjectId, row: usize) -> usize {
        let index = object.0 as usize;
        if index >= self.known {
            self.add_objects(index + 1);
        }
        index * OBJECT_ROWS + row
    }

    #[inline(never)]
    fn add_objects(&mut self, known: usize) {
        self.objects.fit(known * OBJECT_ROWS);
        for row in self.known * OBJECT_ROWS..known * OBJECT_ROWS {
            self.objects.clear(row);
        }
        self.known = known;
    }

    /// `C := C | m`.
    #[inline]
    pub(crate) fn acquire(&mut self, thread: ThreadIndex, object: ObjectId) {
        let row = self.object(object, MESSAGE);
        let own = thread.index() * THREAD_ROWS + OWN;
        self.threads.join(own, &self.objects, row);
    }

    /// `m := m | C`.
    #[inline]
    pub(crate) fn add_to_message(&mut self, thread: ThreadIndex, object: ObjectId) {
        let row = self.object(object, MESSAGE);
        let own = thread.index() * THREAD_ROWS + OWN;
        self.objects.join(row, &self.threads, own);
        self.step(thread);
    }

    /// The message was taken by its only receiver.
    pub(crate) fn clear_message(&mut self, object: ObjectId) {
        let row = self.object(object, MESSAGE);
        self.objects.clear(row);
    }

    #[inline]
    pub(crate) fn take_lock(&mut self, thread: ThreadIndex, lock: ObjectId, exclusive: bool) {
        self.acquire(thread, lock);
        if exclusive {
            let row = self.object(lock, READERS);
            let own = thread.index() * THREAD_ROWS + OWN;
            self.threads.join(own, &self.objects, row);
        }
    }

    #[inline]
    pub(crate) fn give_lock(&mut self, thread: ThreadIndex, lock: ObjectId, exclusive: bool) {
        let message = self.object(lock, MESSAGE);
        let own = thread.index() * THREAD_ROWS + OWN;
        if exclusive {
            self.objects.copy(message, &self.threads, own);
            self.objects.clear(message + READERS);
        } else {
            self.objects.join(message + READERS, &self.threads, own);
        }
        self.step(thread);
    }

    /// The load part of an atomic operation.
    #[inline]
    pub(crate) fn atomic_read(&mut self, thread: ThreadIndex, object: ObjectId, acquire: bool) {
        if let Some((read, _)) = self.taken {
            return self.read_message(thread, read, acquire);
        }
        let row = self.object(object, MESSAGE);
        let first = thread.index() * THREAD_ROWS;
        if acquire {
            // What is acquired now need not be acquired by a fence later.
            self.threads.join(first + OWN, &self.objects, row);
        } else {
            self.read_relaxed(thread, row);
        }
    }

    #[inline(never)]
    fn read_relaxed(&mut self, thread: ThreadIndex, row: usize) {
        let into = thread.index() * THREAD_ROWS + TO_ACQUIRE;
        if self.to_acquire.contains(thread) {
            self.threads.join(into, &self.objects, row);
        } else {
            self.threads.copy(into, &self.objects, row);
            self.to_acquire.insert(thread);
        }
    }

    /// The store part of an atomic operation. `keeps`: a read-modify-write, which continues the release sequences it is
    /// in.
    #[inline]
    pub(crate) fn atomic_write(
        &mut self,
        thread: ThreadIndex,
        object: ObjectId,
        release: bool,
        keeps: bool,
    ) {
        if let Some(taken) = self.taken {
            return self.write_own_message(thread, taken, release, keeps);
        }
        let row = self.object(object, MESSAGE);
        let first = thread.index() * THREAD_ROWS;
        if release {
            self.write_message(row, first + OWN, keeps);
            self.step(thread);
        } else if self.fence_released.contains(thread) {
            self.write_message(row, first + FENCE_RELEASED, keeps);
        } else if !keeps {
            self.objects.clear(row);
        }
    }

    #[inline]
    fn write_message(&mut self, row: usize, from: usize, keeps: bool) {
        if keeps {
            self.objects.join(row, &self.threads, from);
        } else {
            self.objects.copy(row, &self.threads, from);
        }
    }

    pub(crate) fn acquire_fence(&mut self, thread: ThreadIndex) {
        if self.to_acquire.contains(thread) {
            let first = thread.index() * THREAD_ROWS;
            self.threads.join_own(first + OWN, first + TO_ACQUIRE);
        }
    }

    /// A fence's clock only grows, so what the last one released is the thread's clock as it is now.
    pub(crate) fn release_fence(&mut self, thread: ThreadIndex) {
        let first = thread.index() * THREAD_ROWS;
        self.threads.copy_own(first + FENCE_RELEASED, first + OWN);
        self.fence_released.insert(thread);
        self.step(thread);
    }

    /// `C[thread] := C[thread] | C[other]`.
    #[inline]
    pub(crate) fn join_thread(&mut self, thread: ThreadIndex, other: ThreadIndex) {
        self.threads.join_own(
            thread.index() * THREAD_ROWS + OWN,
            other.index() * THREAD_ROWS + OWN,
        );
    }

    /// All that was before this happens before all that comes after it.
    pub(crate) fn order_all(&mut self) {
        let own = |index: usize| index * THREAD_ROWS + OWN;
        for other in 1..self.live {
            self.threads.join_own(own(0), own(other));
        }
        for index in 1..self.live {
            self.threads.copy_own(own(index), own(0));
        }
        for index in 0..self.live {
            *self.threads.number_mut(own(index), index) += 1;
        }
    }

    pub(crate) fn spawn(&mut self, thread: ThreadIndex, new: ThreadIndex) {
        self.add_thread(new);
        let own = new.index() * THREAD_ROWS + OWN;
        self.threads
            .copy_own(own, thread.index() * THREAD_ROWS + OWN);
        *self.threads.number_mut(own, new.index()) = 1;
        self.step(thread);
    }
}
