//! Data races of plain accesses, as a drop-in cell reports them.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use contest::sync::atomic::{AtomicBool, Ordering};
use contest::sync::mpsc::sync_channel;
use contest::sync::{Condvar, Mutex};
use contest::thread;
use contest_data::trace::{AccessKind, FaultyAccess, MemoryFault, Place};
use contest_engine::execution::active;

use super::explore;

/// A number whose accesses are reported; the value itself is of no interest.
#[derive(Default)]
struct Plain {
    name: Cell<u64>,
}

// SAFETY: virtual threads run on one OS thread.
unsafe impl Sync for Plain {}

impl Plain {
    fn location(&self) -> usize {
        active().unwrap().own_location(&self.name, 8)
    }

    #[track_caller]
    fn read(&self) {
        active().unwrap().plain_read(self.location(), 8);
    }

    #[track_caller]
    fn write(&self) {
        active().unwrap().plain_write(self.location(), 8);
    }
}

/// Pairs of lines, relative to the first, that race in some execution; each with the kinds.
fn races(body: impl Fn()) -> BTreeSet<((u32, AccessKind), (u32, AccessKind))> {
    let mut all = BTreeSet::new();
    explore(Some(3), body, |record| {
        for fault in &record.faults {
            let MemoryFault::Race { first, second, .. } = *fault else {
                panic!("a drop-in cell reports plain accesses");
            };
            let end = |access: FaultyAccess| {
                let Place::Source(location) = access.at.place else {
                    panic!("the place is in the source");
                };
                assert_eq!(location.file(), file!());
                (location.line(), access.kind)
            };
            let (a, b) = (end(first), end(second));
            assert_ne!(first.at.thread, second.at.thread);
            all.insert((a.min(b), a.max(b)));
        }
    });
    all
}

#[test]
fn unordered_accesses_race_whatever_the_schedule() {
    let line = line!();
    let found = races(|| {
        let data = Arc::new(Plain::default());
        let theirs = Arc::clone(&data);
        let thread = thread::spawn(move || theirs.write());
        data.read();
        thread.join().unwrap();
        data.write();
    });
    let (write, read) = ((line + 4, AccessKind::Write), (line + 5, AccessKind::Read));
    assert_eq!(found, BTreeSet::from([(write, read)]));
}

#[test]
fn a_flag_publishes_only_with_release_and_acquire() {
    let publish = |store, load| {
        races(move || {
            let data = Arc::new((Plain::default(), AtomicBool::new(false)));
            let theirs = Arc::clone(&data);
            let thread = thread::spawn(move || {
                theirs.0.write();
                theirs.1.store(true, store);
            });
            if data.1.load(load) {
                data.0.read();
            }
            thread.join().unwrap();
        })
    };
    assert!(publish(Ordering::Release, Ordering::Acquire).is_empty());
    assert_eq!(publish(Ordering::Relaxed, Ordering::Acquire).len(), 1);
    assert_eq!(publish(Ordering::Release, Ordering::Relaxed).len(), 1);
}

#[test]
fn what_a_mutex_protects_does_not_race_also_after_a_wait() {
    let found = races(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new(), Plain::default()));
        let theirs = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            let mut ready = theirs.0.lock().unwrap();
            theirs.2.write();
            *ready = true;
            drop(ready);
            theirs.1.notify_one();
        });
        let mut ready = shared.0.lock().unwrap();
        while !*ready {
            ready = shared.1.wait(ready).unwrap();
        }
        shared.2.write();
        drop(ready);
        thread.join().unwrap();
    });
    assert_eq!(found, BTreeSet::new());
}

#[test]
fn channels_of_every_capacity_hand_over_what_was_done_before() {
    for capacity in 0..3 {
        let found = races(|| {
            let data = Arc::new((Plain::default(), Plain::default()));
            let theirs = Arc::clone(&data);
            let (sender, receiver) = sync_channel(capacity);
            let thread = thread::spawn(move || {
                theirs.0.write();
                sender.send(1).unwrap();
                if capacity == 0 {
                    theirs.1.write();
                }
            });
            if capacity == 0 {
                data.1.read();
            }
            receiver.recv().unwrap();
            data.0.read();
            thread.join().unwrap();
        });
        assert_eq!(found, BTreeSet::new(), "capacity {capacity}");
    }
}

#[test]
fn each_pair_of_places_is_reported_once() {
    let mut counts = BTreeSet::new();
    explore(
        Some(2),
        || {
            let data = Arc::new(Plain::default());
            let theirs = Arc::clone(&data);
            let writes = |data: &Plain| {
                for _ in 0..3 {
                    data.write();
                    thread::yield_now();
                }
            };
            let thread = thread::spawn(move || writes(&theirs));
            writes(&data);
            thread.join().unwrap();
        },
        |record| {
            counts.insert(record.faults.len());
        },
    );
    assert_eq!(counts, BTreeSet::from([1]));
}
