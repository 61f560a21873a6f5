//! `fail`: what must be found.

use std::ptr::null_mut;
use std::sync::Arc;

use contest::FindingKind::{self, DataRace, Panic};
use contest::cell::Cell;
use contest::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};
use contest::sync::atomic::{AtomicPtr, AtomicUsize, fence};
use contest::thread;

use super::fault;
use crate::runs::{Shared, join_all};

fn published(store: Ordering, load: Ordering) -> impl Fn() {
    move || {
        let shared = Shared::new((Cell::new(0), AtomicPtr::new(null_mut())));
        let theirs = shared.clone();
        let other = thread::spawn(move || {
            let (value, pointer) = theirs.get();
            value.set(1);
            pointer.store(std::ptr::from_ref(value).cast_mut(), store);
        });
        let (value, pointer) = shared.get();
        if std::ptr::eq(pointer.load(load), value) {
            value.set(2);
        }
        other.join().unwrap();
    }
}

#[test]
fn memory_that_is_published_without_an_order_is_raced_for() {
    for (store, load) in [(Relaxed, Relaxed), (Release, Relaxed), (Relaxed, Acquire)] {
        assert_eq!(
            fault(published(store, load)),
            DataRace,
            "{store:?} {load:?}"
        );
    }
    super::explored(published(Release, Acquire));
}

/// A thread announces a local value and ends; another one writes to it.
#[test]
fn a_value_that_is_announced_before_its_owner_takes_it_back_is_raced_for() {
    let kind = fault(|| {
        let shared = Shared::new((Cell::new(0), AtomicUsize::new(0)));
        let theirs = shared.clone();
        let other = thread::spawn(move || {
            let (value, announced) = theirs.get();
            announced.store(1, SeqCst);
            // As when it leaves its scope.
            value.set(0);
        });
        let (value, announced) = shared.get();
        if announced.load(SeqCst) == 1 {
            value.set(42);
        }
        other.join().unwrap();
    });
    assert_eq!(kind, DataRace);
}

/// A release sequence ends with another store of its own thread since C++20.
fn handed_on(between: Ordering, fences: bool) -> impl Fn() {
    move || {
        let shared = Shared::new((Cell::new(0), AtomicUsize::new(0)));
        let start = |body: fn(&Cell<u32>, &AtomicUsize, Ordering, bool)| {
            let shared = shared.clone();
            thread::spawn(move || body(&shared.get().0, &shared.get().1, between, fences))
        };
        join_all([
            start(|value, state, between, _| {
                value.set(1);
                state.store(0, Release);
                state.store(1, between);
            }),
            start(|value, state, _, fences| {
                if state.load(Relaxed) > 2 {
                    if fences {
                        fence(Acquire);
                    }
                    value.set(2);
                }
            }),
            start(|_, state, _, _| {
                let _ = state.compare_exchange(2, 3, Relaxed, Relaxed);
            }),
            start(|_, state, _, _| {
                let _ = state.compare_exchange(1, 2, Relaxed, Relaxed);
            }),
        ]);
    }
}

#[test]
fn a_later_relaxed_store_publishes_nothing() {
    assert_eq!(fault(handed_on(Relaxed, true)), DataRace);
    assert_eq!(fault(handed_on(Release, false)), DataRace);
    super::explored(handed_on(Release, true));
}

#[test]
fn an_increment_in_two_steps_loses_one() {
    let kind = fault(|| {
        let number = Arc::new(AtomicUsize::new(0));
        let threads = [(); 2].map(|()| {
            let number = number.clone();
            thread::spawn(move || {
                let seen = number.load(Acquire);
                number.store(seen + 1, Release);
            })
        });
        join_all(threads);
        assert_eq!(number.load(Relaxed), 2);
    });
    assert_eq!(kind, Panic);
}

/// Each thread stores to one location and then does this with the other one.
fn crossed(second: fn(&AtomicUsize) -> usize, stores: Ordering) -> impl Fn() -> [usize; 4] {
    move || {
        let shared = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let threads = [0, 1].map(|own| {
            let shared = shared.clone();
            thread::spawn(move || {
                shared[own].store(1, stores);
                second(&shared[1 - own])
            })
        });
        let [first, second] = threads.map(|thread| thread.join().unwrap());
        [
            first,
            second,
            shared[0].load(Relaxed),
            shared[1].load(Relaxed),
        ]
    }
}

fn panics_if(outcome: [usize; 4], model: impl Fn() -> [usize; 4]) -> FindingKind {
    fault(move || assert_ne!(model(), outcome))
}

#[test]
fn both_threads_may_miss_what_the_other_has_stored() {
    let model = crossed(|other| other.load(Relaxed), Relaxed);
    assert_eq!(panics_if([0, 0, 1, 1], model), Panic);
}

fn stores_two(order: Ordering) -> fn(&AtomicUsize) -> usize {
    let stores: [fn(&AtomicUsize) -> usize; 3] = [
        |other| {
            other.store(2, Relaxed);
            0
        },
        |other| {
            other.store(2, Release);
            0
        },
        |other| {
            other.store(2, SeqCst);
            0
        },
    ];
    match order {
        Relaxed => stores[0],
        Release => stores[1],
        _ => stores[2],
    }
}

#[test]
fn the_first_stores_of_both_threads_may_come_last() {
    for (first, second) in [(Relaxed, Relaxed), (Release, Release), (Release, SeqCst)] {
        let model = crossed(stores_two(second), first);
        assert_eq!(
            panics_if([0, 0, 1, 1], model),
            Panic,
            "{first:?} {second:?}"
        );
    }
    super::explored(|| assert_ne!(crossed(stores_two(SeqCst), SeqCst)(), [0, 0, 1, 1]));
}
