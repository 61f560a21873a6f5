//! What threads may still read, with clocks written by hand. Whole programs are held against the axioms by the tests of
//! `contest-runtime` (`tests/weak_memory`).

use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};

use super::{Clocks, Request, WINDOW, Wanted, WeakMemory};
use contest_data::execution_graph::Deeds;
use contest_data::trace::{ObjectId, ThreadIndex};

/// Every thread knows this much; no write hands anything on.
struct Known([u32; 4]);

impl Clocks for Known {
    fn own(&self) -> &[u32] {
        &self.0
    }

    fn handed_on(&self, _: u32) -> &[u32] {
        &[0; 4]
    }
}

/// Nothing of another thread is known.
const NOTHING: Known = Known([0; 4]);

#[derive(Default)]
struct Run {
    memory: WeakMemory,
    event: u32,
    bits: u64,
}

impl Run {
    fn request(thread: u16, deeds: Deeds, order: Ordering) -> Request {
        Request {
            thread: ThreadIndex(thread),
            object: ObjectId(0),
            size: 8,
            deeds,
            order,
            exchange: None,
            only: None,
        }
    }

    /// Values that the operation may take, newest first.
    fn values(&mut self, request: &Request, clocks: &Known) -> Vec<u64> {
        self.memory
            .consider(request, self.bits, clocks, Wanted::Allowed);
        let places = self.memory.alternatives().iter();
        places
            .map(|&at| self.memory.shown()[usize::from(at)].value)
            .collect()
    }

    /// Performs the operation with this alternative.
    fn perform(&mut self, request: &Request, clocks: &Known, choice: u16, wrote: Option<u64>) {
        self.values(request, clocks);
        let taken = self.memory.take(request, choice);
        let number = self.memory.next_message();
        let (_, newest) = self.memory.performed(
            (request, taken),
            (self.event, 1),
            wrote.map(|value| (number, value)),
            &clocks.0,
        );
        self.event += 1;
        self.bits = newest;
    }

    fn store(&mut self, thread: u16, value: u64) {
        let request = Self::request(thread, Deeds::Write, Relaxed);
        self.perform(&request, &NOTHING, 0, Some(value));
    }
}

#[test]
fn a_read_may_take_what_does_not_happen_before_a_newer_write_that_is_known() {
    let mut run = Run::default();
    run.store(1, 1);
    run.store(1, 2);
    let read = Run::request(2, Deeds::Read, Acquire);
    assert_eq!(run.values(&read, &NOTHING), [2, 1, 0]);
    // All that thread 1 did is known.
    assert_eq!(run.values(&read, &Known([0, 1, 0, 0])), [2]);
    // Its own reads are.
    run.perform(&read, &NOTHING, 1, None);
    assert_eq!(run.values(&read, &NOTHING), [2, 1]);
    let writer = Run::request(1, Deeds::Read, Relaxed);
    assert_eq!(run.values(&writer, &NOTHING), [2]);
}

#[test]
fn nothing_comes_between_a_read_modify_write_and_what_it_read() {
    let mut run = Run::default();
    let update = Run::request(1, Deeds::Update, Relaxed);
    run.perform(&update, &NOTHING, 0, Some(1));
    let other = Run::request(2, Deeds::Update, Relaxed);
    assert_eq!(run.values(&other, &NOTHING), [1]);
    let store = Run::request(2, Deeds::Write, Release);
    assert_eq!(run.values(&store, &NOTHING), [1]);
}

#[test]
fn a_store_before_the_newest_write_leaves_memory_as_it_is() {
    let mut run = Run::default();
    run.store(1, 1);
    let store = Run::request(2, Deeds::Write, Relaxed);
    run.perform(&store, &NOTHING, 1, Some(2));
    assert_eq!(run.bits, 1);
    let read = Run::request(2, Deeds::Read, Relaxed);
    assert_eq!(run.values(&read, &NOTHING), [1, 2]);
}

#[test]
fn sequentially_consistent_operations_have_one_order() {
    let mut run = Run::default();
    let write = Run::request(1, Deeds::Write, SeqCst);
    run.perform(&write, &NOTHING, 0, Some(1));
    let read = Run::request(2, Deeds::Read, SeqCst);
    // The read may still come first: it is alone in its thread.
    assert_eq!(run.values(&read, &NOTHING), [1, 0]);
    // Not after an operation that comes after the write.
    run.perform(&read, &NOTHING, 0, None);
    assert_eq!(run.values(&read, &NOTHING), [1]);
}

#[test]
fn an_exclusive_access_begins_a_new_history() {
    let mut run = Run::default();
    run.store(1, 1);
    run.bits = 9;
    let read = Run::request(2, Deeds::Read, Relaxed);
    assert_eq!(run.values(&read, &NOTHING), [9]);
}

#[test]
#[cfg_attr(miri, ignore = "a history longer than the window")]
fn what_is_older_than_the_window_is_forgotten_and_said() {
    let mut run = Run::default();
    for value in 1..=10_000 {
        run.store(1, value);
    }
    let read = Run::request(2, Deeds::Read, Relaxed);
    assert_eq!(run.values(&read, &NOTHING).len(), WINDOW);
    let mut writes = contest_data::trace::Writes::default();
    run.memory.write_down(&mut writes);
    assert!(writes.bounded);
}
