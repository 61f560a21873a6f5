//! One-time initialisation inside executions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use contest::sync::atomic::{AtomicU32, Ordering::SeqCst};
use contest::sync::{LazyLock, Once, OnceLock};
use contest::thread;

use super::{endings, results, set, text_set};

#[test]
fn an_initialiser_runs_once_in_every_schedule() {
    let seen = results(|| {
        let once = Once::new();
        let runs = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    once.call_once(|| {
                        runs.fetch_add(1, SeqCst);
                    });
                    assert_eq!(runs.load(SeqCst), 1);
                });
            }
        });
        (runs.into_inner(), once.is_completed())
    });
    assert_eq!(seen, set([(1, true)]));
}

#[test]
fn of_two_threads_that_set_a_cell_one_wins() {
    let seen = results(|| {
        let cell = OnceLock::new();
        thread::scope(|scope| {
            let first = scope.spawn(|| cell.set(1).is_ok());
            let second = scope.spawn(|| *cell.get_or_init(|| 2));
            (first.join().unwrap(), second.join().unwrap())
        })
    });
    assert_eq!(seen, set([(false, 2), (true, 1)]));
}

#[test]
fn a_look_at_a_cell_sees_it_before_or_after() {
    let seen = results(|| {
        let cell = OnceLock::new();
        thread::scope(|scope| {
            let looking = scope.spawn(|| cell.get().copied());
            cell.set(1).unwrap();
            looking.join().unwrap()
        })
    });
    assert_eq!(seen, set([None, Some(1)]));
}

#[test]
fn a_thread_that_waits_for_a_cell_gets_its_value() {
    let seen = results(|| {
        let cell = OnceLock::new();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| *cell.wait());
            cell.set(1).unwrap();
            waiting.join().unwrap()
        })
    });
    assert_eq!(seen, set([1]));
}

#[test]
fn an_initialiser_that_panics_leaves_the_cell_to_the_next() {
    let seen = results(|| {
        let cell = OnceLock::new();
        let failing =
            || catch_unwind(AssertUnwindSafe(|| *cell.get_or_init(|| panic!("first")))).is_ok();
        thread::scope(|scope| {
            let failing = scope.spawn(failing);
            let making = scope.spawn(|| *cell.get_or_init(|| 2));
            (failing.join().unwrap(), making.join().unwrap())
        })
    });
    assert_eq!(seen, set([(false, 2), (true, 2)]));
}

#[test]
fn a_poisoned_once_panics_for_all_that_come_later() {
    let seen = results(|| {
        let once = Once::new();
        let call = |panics: bool| {
            catch_unwind(AssertUnwindSafe(|| once.call_once(|| assert!(!panics)))).is_ok()
        };
        let (first, second) = (call(true), call(false));
        let mut forced = false;
        once.call_once_force(|state| forced = state.is_poisoned());
        (first, second, forced, once.is_completed())
    });
    assert_eq!(seen, set([(false, false, true, true)]));
}

#[test]
fn a_lazy_value_is_made_once_in_every_schedule() {
    let seen = results(|| {
        let runs = AtomicU32::new(0);
        let lazy = LazyLock::new(|| runs.fetch_add(1, SeqCst) + 7);
        let looked = thread::scope(|scope| {
            let first = scope.spawn(|| *lazy);
            let second = scope.spawn(|| LazyLock::get(&lazy).copied());
            assert_eq!((*lazy, first.join().unwrap()), (7, 7));
            second.join().unwrap()
        });
        (looked, runs.load(SeqCst))
    });
    assert_eq!(seen, set([(None, 1), (Some(7), 1)]));
}

#[test]
fn a_lazy_value_that_needs_itself_deadlocks() {
    static LAZY: LazyLock<u32> = LazyLock::new(|| *LAZY + 1);
    let seen = endings(|| {
        let _ = *LAZY;
    });
    assert_eq!(seen, text_set(["deadlock: waits for LazyLock#1"]));
}
