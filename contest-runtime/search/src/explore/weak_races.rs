//! Whether another memory model than sequential consistency may make a difference, by executions under that.
//!
//! Lahav, Vafeiadis, Kang, Hur and Dreyer, "Repairing Sequential Consistency in C/C++11" (PLDI 2017), section 4.3 on
//! data-race freedom: if in all sequentially consistent executions of a program two accesses race only where both are
//! `SeqCst`, then RC11 allows no others. To race is to access one location, one of them at least to write, with neither
//! happening before the other.
//!
//! Added to that: updates that always write (`fetch_add`, `swap`) may race with each other at any ordering, if nothing
//! else races anywhere. RC11 has no cycle of program order and reads-from, and each update reads from the one before
//! it; so an order along both is a sequentially consistent one. Counters and reference counts need that. A
//! compare-exchange may fail on an older value, and counts as a read, too.
//!
//! What takes and gives back a lock is such an update, ordered `SeqCst`. To try it in vain, or to look whether it is
//! held, poisoned or done, is a relaxed read.
//!
//! Both need that an access is ordered by what its thread knew *before* it: an acquire that orders itself after what it
//! reads might have read something else. What is not followed here (fences, channels, wake-ups) orders nothing, so that
//! there may be more races than there are, and not fewer.

use std::sync::atomic::Ordering;

use contest_data::trace::{
    Action, Event, ExecutionRecord, LockMode, ObjectId, REST, ThreadIndex, Update, acquires,
    releases,
};

/// The races of all executions so far.
#[derive(Clone, Debug, Default)]
pub struct WeakRaces {
    /// Of accesses of which one is ordered less than `SeqCst`, and one may be a read or a store.
    weak: bool,
    /// Of updates alone, one ordered less than `SeqCst`.
    weak_updates: bool,
    /// Of `SeqCst` accesses that are not both updates.
    strong: bool,
    clocks: Clocks,
}

/// How an access takes part in races.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Read,
    Write,
    /// It reads and writes whatever it finds.
    Update,
    /// It reads, and may write.
    Exchange,
}

const ACCESSES: [Access; 4] = [
    Access::Read,
    Access::Write,
    Access::Update,
    Access::Exchange,
];

/// What happens before what, in one execution.
#[derive(Clone, Debug, Default)]
struct Clocks {
    /// Threads.
    width: usize,
    /// For each thread, the operations of each thread that it knows.
    threads: Vec<u32>,
    objects: Vec<Object>,
    /// Objects of this execution.
    known: usize,
}

#[derive(Clone, Debug, Default)]
struct Object {
    /// What it hands on: to all, and beside that to writers of a lock.
    message: Vec<u32>,
    of_readers: Vec<u32>,
    /// For each thread, its last access of each kind, strong and weak.
    last: Vec<[[u32; 2]; ACCESSES.len()]>,
}

impl WeakRaces {
    /// Takes in an execution under sequential consistency.
    pub fn see(&mut self, record: &ExecutionRecord) {
        if self.weak || !record.events.iter().any(matters) {
            return;
        }
        let threads = record.events.iter().map(|event| match event.action {
            Action::Spawn(new) => new.index(),
            _ => event.thread.index(),
        });
        let width = threads.max().map_or(1, |last| last + 1);
        self.clocks.reset(width);
        for event in &record.events {
            self.add(event);
        }
    }

    /// True if there may be executions that are not sequentially consistent.
    #[must_use]
    pub fn make_a_difference(&self) -> bool {
        self.weak || (self.weak_updates && self.strong)
    }

    fn add(&mut self, event: &Event) {
        self.clocks.step(event.thread);
        if let Some((object, access, is_weak)) = access_of(event) {
            self.weak |= may_fail(event);
            let races = self.clocks.access(event.thread, object, access, is_weak);
            for (other, was_weak) in races {
                let updates = (access, other) == (Access::Update, Access::Update);
                match (updates, is_weak || was_weak) {
                    (false, true) => self.weak = true,
                    (true, true) => self.weak_updates = true,
                    (false, false) => self.strong = true,
                    (true, false) => {}
                }
            }
        }
        self.clocks.synchronise(event);
    }
}

/// The object, what kind of access of it an operation is, and whether it is ordered less than `SeqCst`.
fn access_of(event: &Event) -> Option<(ObjectId, Access, bool)> {
    let (access, order) = match event.action {
        Action::Load(order) => (Access::Read, order),
        Action::Store(order) => (Access::Write, order),
        Action::Rmw(order, Update::Conditional) | Action::CasFail(order) => {
            (Access::Exchange, order)
        }
        Action::Rmw(order, _) => (Access::Update, order),
        Action::TryAcquire(_, false) | Action::AcquireTimeout(_) | Action::OncePeek(_) => {
            (Access::Read, Ordering::Relaxed)
        }
        Action::Release(..) | Action::OnceBegin(true) | Action::OnceEnd(_) | Action::End => {
            (Access::Update, Ordering::SeqCst)
        }
        _ => {
            let (lock, _) = event.lock_taken()?;
            return Some((lock, Access::Update, false));
        }
    };
    let is_known = event.object != ObjectId::NONE;
    is_known.then_some((event.object, access, order != Ordering::SeqCst))
}

/// True for a compare-exchange that may fail although it finds what it expects, which it does under RC11 only.
fn may_fail(event: &Event) -> bool {
    let exchanges = matches!(event.action, Action::Rmw(_, Update::Conditional));
    exchanges && event.name == "compare_exchange_weak" && event.thread != ThreadIndex::MAIN
}

/// An execution that has none of these is the same under RC11.
fn matters(event: &Event) -> bool {
    may_fail(event) || access_of(event).is_some_and(|(.., is_weak)| is_weak)
}

impl Access {
    fn conflicts(self, other: Self) -> bool {
        self != Self::Read || other != Self::Read
    }
}

impl Clocks {
    fn reset(&mut self, width: usize) {
        self.width = width;
        self.threads.clear();
        self.threads.resize(width * width, 0);
        self.known = 0;
    }

    /// The accesses of other threads that this one races with, each with whether it is weak.
    fn access(
        &mut self,
        thread: ThreadIndex,
        object: ObjectId,
        access: Access,
        is_weak: bool,
    ) -> Vec<(Access, bool)> {
        let start = thread.index() * self.width;
        self.object(object);
        let knows = &self.threads[start..start + self.width];
        let last = &mut self.objects[object.0 as usize].last;
        let mut races = Vec::new();
        for (other, last) in last.iter().enumerate() {
            for of in ACCESSES.into_iter().filter(|of| access.conflicts(*of)) {
                let times = last[of as usize].into_iter().zip([false, true]);
                // What it did itself it knows.
                races.extend(
                    times
                        .filter(|(at, _)| *at > knows[other])
                        .map(|(_, weak)| (of, weak)),
                );
            }
        }
        last[thread.index()][access as usize][usize::from(is_weak)] = knows[thread.index()];
        races
    }

    fn row(&mut self, thread: ThreadIndex) -> &mut [u32] {
        let start = thread.index() * self.width;
        &mut self.threads[start..start + self.width]
    }

    /// Operations are numbered from 1 on in each thread.
    fn step(&mut self, thread: ThreadIndex) {
        self.row(thread)[thread.index()] += 1;
    }

    /// What one thread knows, another one knows from here on.
    fn tell(&mut self, from: ThreadIndex, to: ThreadIndex) {
        for at in 0..self.width {
            let known = self.row(from)[at];
            let to = &mut self.row(to)[at];
            *to = known.max(*to);
        }
    }

    /// The object, made when it is first used.
    fn object(&mut self, object: ObjectId) -> &mut Object {
        let index = object.0 as usize;
        while self.known <= index {
            if self.objects.len() == self.known {
                self.objects.push(Object::default());
            }
            let new = &mut self.objects[self.known];
            for row in [&mut new.message, &mut new.of_readers] {
                row.clear();
                row.resize(self.width, 0);
            }
            new.last.clear();
            new.last.resize(self.width, Default::default());
            self.known += 1;
        }
        &mut self.objects[index]
    }

    /// What the operation orders.
    fn synchronise(&mut self, event: &Event) {
        let (thread, object) = (event.thread, event.object);
        match event.action {
            Action::Load(order) | Action::CasFail(order) if acquires(order) => {
                self.acquire(thread, object, false);
            }
            Action::Store(order) => {
                self.object(object).message.fill(0);
                if releases(order) {
                    self.release(thread, object, false);
                }
            }
            Action::Rmw(order, _) => {
                if acquires(order) {
                    self.acquire(thread, object, false);
                }
                if releases(order) {
                    self.release(thread, object, false);
                }
            }
            Action::Acquire(mode) | Action::TryAcquire(mode, true) => {
                self.acquire(thread, object, mode != LockMode::Read);
            }
            Action::Arrive(true) => self.acquire(thread, object, true),
            Action::Wake(_) if event.second != ObjectId::NONE => {
                self.acquire(thread, event.second, true);
            }
            Action::Release(mode, _) => {
                self.release(thread, object, mode == LockMode::Read);
            }
            Action::Wait => self.release(thread, event.second, false),
            Action::OnceEnd(_) if event.second != object => self.release(thread, object, false),
            Action::OnceBegin(_) | Action::OncePeek(_) if event.second != object => {
                self.acquire(thread, object, false);
            }
            Action::Spawn(new) => self.tell(thread, new),
            Action::Join(other) => self.tell(other, thread),
            // All others stand still, and none of them knew when that would be.
            Action::Yield if event.name == REST => {
                let others = (0..self.width).map(|other| ThreadIndex(other as u16));
                let others = others.filter(|other| *other != thread);
                others.clone().for_each(|other| self.tell(other, thread));
                others.for_each(|other| self.tell(thread, other));
            }
            _ => {}
        }
    }

    fn acquire(&mut self, thread: ThreadIndex, object: ObjectId, of_readers: bool) {
        for at in 0..self.width {
            let object = self.object(object);
            let mut known = object.message[at];
            if of_readers {
                known = known.max(object.of_readers[at]);
            }
            let own = &mut self.row(thread)[at];
            *own = known.max(*own);
        }
    }

    fn release(&mut self, thread: ThreadIndex, object: ObjectId, by_reader: bool) {
        for at in 0..self.width {
            let known = self.row(thread)[at];
            let object = self.object(object);
            let message = match by_reader {
                true => &mut object.of_readers[at],
                false => &mut object.message[at],
            };
            *message = known.max(*message);
        }
    }
}
