//! std `once.rs`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use contest::sync::Once;
use contest::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use contest::sync::mpsc::channel;
use contest::thread;

use crate::runs::{inside_and_outside, join_all};

fn panics(f: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_err()
}

#[test]
fn only_the_first_call_runs() {
    inside_and_outside(|| {
        let (once, mut calls) = (Once::new(), 0);
        once.call_once(|| calls += 1);
        once.call_once(|| calls += 1);
        assert_eq!(calls, 1);
    });
}

#[test]
fn no_call_returns_before_the_first_one_has_run() {
    inside_and_outside(|| {
        let shared = Arc::new((Once::new(), AtomicU32::new(0)));
        let run = |shared: &(Once, AtomicU32)| {
            shared.0.call_once(|| {
                assert_eq!(shared.1.fetch_add(1, Ordering::Relaxed), 0);
            });
            assert_eq!(shared.1.load(Ordering::Relaxed), 1);
        };
        let threads = [(); 2].map(|()| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || run(&shared))
        });
        run(&shared);
        join_all(threads);
    });
}

#[test]
fn a_call_that_panicked_poisons_until_a_forced_one_succeeds() {
    inside_and_outside(|| {
        let once = Once::new();
        assert!(panics(|| once.call_once(|| panic!("first"))));
        assert!(panics(|| once.call_once(|| {})));
        let mut poisoned = false;
        once.call_once_force(|state| poisoned = state.is_poisoned());
        assert!(poisoned);
        once.call_once(|| unreachable!());
    });
}

#[test]
fn a_call_waits_for_a_forced_one_to_end() {
    inside_and_outside(|| {
        let once = Arc::new(Once::new());
        assert!(panics(|| once.call_once(|| panic!("first"))));
        let (inside, is_inside) = channel();
        let (leave, may_leave) = channel();
        let forces = Arc::clone(&once);
        let first = thread::spawn(move || {
            forces.call_once_force(|state| {
                assert!(state.is_poisoned());
                inside.send(()).unwrap();
                may_leave.recv().unwrap();
            });
        });
        is_inside.recv().unwrap();
        let second = thread::spawn(move || once.call_once(|| unreachable!()));
        leave.send(()).unwrap();
        first.join().unwrap();
        second.join().unwrap();
    });
}

#[test]
fn waiting_ends_after_the_call() {
    inside_and_outside(|| {
        let (once, done) = (Once::new(), AtomicBool::new(false));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    once.wait();
                    assert!(done.load(Ordering::Relaxed));
                });
            }
            once.call_once(|| done.store(true, Ordering::Relaxed));
        });
    });
}

#[test]
fn waiting_for_what_is_poisoned_panics() {
    inside_and_outside(|| {
        let once = Once::new();
        assert!(panics(|| once.call_once(|| panic!("first"))));
        assert!(panics(|| once.wait()));
    });
}

#[test]
fn waiting_by_force_for_what_is_poisoned_waits_for_a_forced_call() {
    inside_and_outside(|| {
        let once = Once::new();
        assert!(panics(|| once.call_once(|| panic!("first"))));
        thread::scope(|scope| {
            scope.spawn(|| once.call_once_force(|_| {}));
            once.wait_force();
        });
    });
}
