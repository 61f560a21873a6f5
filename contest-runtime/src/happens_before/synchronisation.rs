//! Clocks of threads and objects, and the rules by which they pass from one to another.
//!
//! Names as in Flanagan and Freund, "FastTrack" (PLDI 2009), section 3: `C` is a thread's clock. Added for C++20 (N4861 [atomics.order],
//! [atomics.fences]): `A`, what an acquire fence would acquire, and `R`, what the last release fence released. Deviation: a thread's own
//! number grows with everything it releases, not only with lock releases, so that an epoch tells exactly what was published.

use super::channels::ChannelClock;
use super::clock::{Rows, copy, join};
use crate::trace::{ObjectId, ThreadIndex, ThreadSet};

/// Rows of a thread.
const OWN: usize = 0;
const TO_ACQUIRE: usize = 1;
const FENCE_RELEASED: usize = 2;
const THREAD_ROWS: usize = 3;

/// Rows of an object: what it hands on, and what the readers of a lock released.
const MESSAGE: usize = 0;
const READERS: usize = 1;
const OBJECT_ROWS: usize = 2;

/// The synchronisation of one execution, as it grows. Reused for the next one: a reset costs what the next execution touches.
#[derive(Clone, Debug)]
pub struct Synchronisation {
    width: usize,
    threads: Rows,
    live: usize,
    /// Threads for which these rows are not zero.
    to_acquire: ThreadSet,
    fence_released: ThreadSet,
    objects: Rows,
    /// Objects below this have rows.
    known: usize,
    pub(super) channels: Vec<ChannelClock>,
    pub(super) n_channels: usize,
    /// Threads that have arrived at a barrier and wait there.
    pub(super) arrived: Vec<(ObjectId, ThreadSet)>,
}

impl Default for Synchronisation {
    fn default() -> Self {
        let mut this = Self {
            width: 4,
            threads: Rows::default(),
            live: 0,
            to_acquire: ThreadSet::EMPTY,
            fence_released: ThreadSet::EMPTY,
            objects: Rows::default(),
            known: 0,
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
    pub fn reset(&mut self) {
        // As wide as the last execution needed.
        self.width = self.live.next_power_of_two().max(4);
        self.threads.set_width(self.width);
        self.objects.set_width(self.width);
        self.live = 0;
        self.to_acquire = ThreadSet::EMPTY;
        self.fence_released = ThreadSet::EMPTY;
        self.known = 0;
        self.n_channels = 0;
        self.arrived.clear();
        self.add_thread(ThreadIndex::MAIN);
    }

    /// The clock of a thread: an access of thread `u` at epoch `e` happens before what this thread does next if `clock[u] >= e`. As long
    /// as a power of two; threads beyond its end are unknown to this one.
    #[must_use]
    #[inline]
    pub fn clock(&self, thread: ThreadIndex) -> &[u32] {
        self.threads.row(thread.index() * THREAD_ROWS + OWN)
    }

    /// The epoch of a thread: the number that stands for what it does until it releases next.
    #[must_use]
    #[inline]
    pub fn epoch(&self, thread: ThreadIndex) -> u32 {
        self.clock(thread)[thread.index()]
    }

    pub(super) fn add_thread(&mut self, thread: ThreadIndex) {
        let index = thread.index();
        if index >= self.width {
            self.widen((index + 1).next_power_of_two());
        }
        self.live = self.live.max(index + 1);
        self.threads.fit(self.live * THREAD_ROWS);
        for row in 0..THREAD_ROWS {
            self.threads.row_mut(index * THREAD_ROWS + row).fill(0);
        }
        self.own(thread)[index] = 1;
    }

    #[cold]
    fn widen(&mut self, width: usize) {
        self.threads.widen(width, self.live * THREAD_ROWS);
        self.objects.widen(width, self.known * OBJECT_ROWS);
        for channel in &mut self.channels[..self.n_channels] {
            channel.widen(width);
        }
        self.width = width;
    }

    #[inline]
    pub(super) fn width(&self) -> usize {
        self.width
    }

    #[inline]
    pub(super) fn own(&mut self, thread: ThreadIndex) -> &mut [u32] {
        self.threads.row_mut(thread.index() * THREAD_ROWS + OWN)
    }

    /// What the thread did so far has been handed on.
    #[inline]
    pub(super) fn step(&mut self, thread: ThreadIndex) {
        self.own(thread)[thread.index()] += 1;
    }

    /// Row of an object, made at first use.
    #[inline]
    fn object(&mut self, object: ObjectId, row: usize) -> usize {
        let index = object.0 as usize;
        if index >= self.known {
            self.objects.fit((index + 1) * OBJECT_ROWS);
            for row in self.known * OBJECT_ROWS..(index + 1) * OBJECT_ROWS {
                self.objects.row_mut(row).fill(0);
            }
            self.known = index + 1;
        }
        index * OBJECT_ROWS + row
    }

    /// `C := C | m`.
    #[inline]
    pub(super) fn acquire(&mut self, thread: ThreadIndex, object: ObjectId) {
        let row = self.object(object, MESSAGE);
        join(
            self.threads.row_mut(thread.index() * THREAD_ROWS + OWN),
            self.objects.row(row),
        );
    }

    /// `m := m | C`.
    #[inline]
    pub(super) fn add_to_message(&mut self, thread: ThreadIndex, object: ObjectId) {
        let row = self.object(object, MESSAGE);
        join(
            self.objects.row_mut(row),
            self.threads.row(thread.index() * THREAD_ROWS + OWN),
        );
        self.step(thread);
    }

    /// The message was taken by its only receiver.
    pub(super) fn clear_message(&mut self, object: ObjectId) {
        let row = self.object(object, MESSAGE);
        self.objects.row_mut(row).fill(0);
    }

    #[inline]
    pub(super) fn take_lock(&mut self, thread: ThreadIndex, lock: ObjectId, exclusive: bool) {
        self.acquire(thread, lock);
        if exclusive {
            let row = self.object(lock, READERS);
            join(
                self.threads.row_mut(thread.index() * THREAD_ROWS + OWN),
                self.objects.row(row),
            );
        }
    }

    #[inline]
    pub(super) fn give_lock(&mut self, thread: ThreadIndex, lock: ObjectId, exclusive: bool) {
        let message = self.object(lock, MESSAGE);
        let own = self.threads.row(thread.index() * THREAD_ROWS + OWN);
        if exclusive {
            copy(self.objects.row_mut(message), own);
            self.objects.row_mut(message + READERS).fill(0);
        } else {
            join(self.objects.row_mut(message + READERS), own);
        }
        self.step(thread);
    }

    /// The load part of an atomic operation.
    #[inline]
    pub(crate) fn atomic_read(&mut self, thread: ThreadIndex, object: ObjectId, acquire: bool) {
        let row = self.object(object, MESSAGE);
        let message = self.objects.row(row);
        if acquire {
            // What is acquired now need not be acquired by a fence later.
            join(
                self.threads.row_mut(thread.index() * THREAD_ROWS + OWN),
                message,
            );
        } else {
            join(
                self.threads
                    .row_mut(thread.index() * THREAD_ROWS + TO_ACQUIRE),
                message,
            );
            self.to_acquire.insert(thread);
        }
    }

    /// The store part of an atomic operation. `keeps`: a read-modify-write, which continues the release sequences it is in.
    #[inline]
    pub(crate) fn atomic_write(
        &mut self,
        thread: ThreadIndex,
        object: ObjectId,
        release: bool,
        keeps: bool,
    ) {
        let row = self.object(object, MESSAGE);
        let message = self.objects.row_mut(row);
        if release {
            let own = self.threads.row(thread.index() * THREAD_ROWS + OWN);
            if keeps {
                join(message, own);
            } else {
                copy(message, own);
            }
            self.step(thread);
        } else if self.fence_released.contains(thread) {
            let fence = self
                .threads
                .row(thread.index() * THREAD_ROWS + FENCE_RELEASED);
            if keeps {
                join(message, fence);
            } else {
                copy(message, fence);
            }
        } else if !keeps {
            message.fill(0);
        }
    }

    pub(crate) fn acquire_fence(&mut self, thread: ThreadIndex) {
        if self.to_acquire.contains(thread) {
            self.join_rows(thread, TO_ACQUIRE, OWN);
        }
    }

    pub(crate) fn release_fence(&mut self, thread: ThreadIndex) {
        self.join_rows(thread, OWN, FENCE_RELEASED);
        self.fence_released.insert(thread);
        self.step(thread);
    }

    /// Joins one row of a thread into another. A fence's clock only grows, so joining is setting.
    fn join_rows(&mut self, thread: ThreadIndex, from: usize, into: usize) {
        let first = thread.index() * THREAD_ROWS;
        for number in 0..self.width {
            let from = self.threads.row(first + from)[number];
            let into = &mut self.threads.row_mut(first + into)[number];
            *into = (*into).max(from);
        }
    }

    /// `C[thread] := C[thread] | C[other]`.
    pub(super) fn join_thread(&mut self, thread: ThreadIndex, other: ThreadIndex) {
        for number in 0..self.width {
            let from = self.clock(other)[number];
            let into = &mut self.own(thread)[number];
            *into = (*into).max(from);
        }
    }

    pub(super) fn spawn(&mut self, thread: ThreadIndex, new: ThreadIndex) {
        self.add_thread(new);
        self.join_thread(new, thread);
        self.own(new)[new.index()] = 1;
        self.step(thread);
    }
}
