//! Atomics inside executions.

use contest::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use contest::sync::atomic::{AtomicBool, AtomicI8, AtomicPtr, AtomicU32, fence};
use contest::thread;
use contest_data::trace::{Action, Update};

use super::{explore, operations, results, set};

#[test]
fn a_load_and_a_store_can_lose_an_update_and_fetch_add_cannot() {
    let lost = results(|| {
        let count = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let seen = count.load(SeqCst);
                    count.store(seen + 1, SeqCst);
                });
            }
        });
        count.into_inner()
    });
    assert_eq!(lost, set([1, 2]));
    let exact = results(|| {
        let count = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| count.fetch_add(1, Relaxed));
            }
        });
        count.into_inner()
    });
    assert_eq!(exact, set([2]));
}

#[test]
fn an_update_loop_loses_nothing_whatever_comes_between() {
    let exact = results(|| {
        let count = AtomicU32::new(0);
        thread::scope(|scope| {
            scope.spawn(|| count.fetch_update(SeqCst, SeqCst, |value| Some(value + 1)));
            scope.spawn(|| count.update(SeqCst, SeqCst, |value| value + 10));
        });
        count.into_inner()
    });
    assert_eq!(exact, set([11]));
}

#[test]
fn every_operation_is_one_event_with_its_ordering() {
    let events = operations(|| {
        let value = AtomicU32::new(1);
        value.load(Acquire);
        value.store(2, Release);
        value.swap(3, AcqRel);
        let _ = value.compare_exchange(3, 4, SeqCst, Relaxed);
        let _ = value.compare_exchange_weak(3, 4, SeqCst, Acquire);
        value.fetch_max(9, Relaxed);
        fence(SeqCst);
        // Exclusive access concerns no other thread.
        let mut value = value;
        *value.get_mut() += 1;
        value.into_inner();
    });
    assert_eq!(
        events,
        [
            ("load", Action::Load(Acquire)),
            ("store", Action::Store(Release)),
            ("swap", Action::Rmw(AcqRel, Update::Replace)),
            ("compare_exchange", Action::Rmw(SeqCst, Update::Conditional)),
            ("compare_exchange_weak", Action::CasFail(Acquire)),
            ("fetch_max", Action::Rmw(Relaxed, Update::Combine)),
            ("fence", Action::Fence(SeqCst)),
        ]
    );
}

#[test]
fn values_are_recorded_as_bits_without_sign() {
    explore(
        None,
        || {
            AtomicI8::new(-1).fetch_add(3, SeqCst);
            AtomicBool::new(true).fetch_not(SeqCst);
            let mut target = 7_u8;
            let pointer = AtomicPtr::new(&raw mut target);
            pointer.store(std::ptr::null_mut(), SeqCst);
        },
        |record| {
            let values = |name| {
                let event = record.events.iter().find(|event| event.name == name);
                event.map(|event| (event.read, event.wrote))
            };
            assert_eq!(values("fetch_add"), Some((255, 2)));
            assert_eq!(values("fetch_not"), Some((1, 0)));
            // What a store replaces is recorded as read: here an address.
            assert_eq!(values("store").map(|(_, wrote)| wrote), Some(0));
        },
    );
}

#[test]
fn a_compare_exchange_of_a_negative_number_is_foreseen_as_it_turns_out() {
    let seen = results(|| {
        let value = AtomicI8::new(-5);
        thread::scope(|scope| {
            let first = scope.spawn(|| value.compare_exchange(-5, 1, SeqCst, SeqCst));
            let second = scope.spawn(|| value.compare_exchange(-5, 2, SeqCst, SeqCst));
            (first.join().unwrap(), second.join().unwrap())
        })
    });
    assert_eq!(seen, set([(Ok(-5), Err(1)), (Err(2), Ok(-5))]));
}

#[test]
fn an_ordering_that_std_refuses_panics_before_anything_happens() {
    let events = operations(|| {
        let value = AtomicU32::new(1);
        for order in [Release, AcqRel] {
            let refused = std::panic::catch_unwind(|| value.load(order));
            assert!(refused.is_err());
        }
        let refused = std::panic::catch_unwind(|| fence([Relaxed][0]));
        assert!(refused.is_err());
    });
    assert_eq!(events, []);
}

#[test]
fn a_spinning_thread_waits_for_the_change() {
    let seen = results(|| {
        let ready = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !ready.load(Acquire) {
                    contest::hint::spin_loop();
                }
            });
            ready.store(true, Release);
        });
        ready.into_inner()
    });
    assert_eq!(seen, set([true]));
}
