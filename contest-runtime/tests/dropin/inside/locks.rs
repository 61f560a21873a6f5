//! Locks, condition variables and barriers inside executions.

use std::time::{Duration, Instant};

use contest::sync::{Arc, Barrier, Condvar, Mutex, RwLock, RwLockWriteGuard};
use contest::thread;

use super::{endings, results, set, text_set};

#[test]
fn updates_under_a_mutex_are_never_lost() {
    let seen = results(|| {
        let count = Mutex::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let seen = *count.lock().unwrap();
                    *count.lock().unwrap() += 1;
                    seen
                });
            }
        });
        count.into_inner().unwrap()
    });
    assert_eq!(seen, set([2]));
}

#[test]
fn two_locks_in_opposite_order_deadlock_in_some_schedule() {
    let seen = endings(|| {
        let locks = (Mutex::new(()), Mutex::new(()));
        thread::scope(|scope| {
            scope.spawn(|| {
                let _first = locks.0.lock().unwrap();
                let _second = locks.1.lock().unwrap();
            });
            scope.spawn(|| {
                let _first = locks.1.lock().unwrap();
                let _second = locks.0.lock().unwrap();
            });
        });
    });
    // Objects are numbered by first use, so the two schedules that deadlock look alike or mirrored.
    assert!(seen.contains("finished"));
    assert!(
        seen.iter()
            .any(|ending| ending.contains("waits for the end of thread 1; waits for Mutex#")),
        "{seen:?}"
    );
}

#[test]
fn a_mutex_locked_twice_by_one_thread_deadlocks() {
    let seen = endings(|| {
        let lock = Mutex::new(());
        let _guard = lock.lock().unwrap();
        let _again = lock.lock().unwrap();
    });
    assert_eq!(seen, text_set(["deadlock: waits for Mutex#1"]));
}

#[test]
fn try_lock_sees_the_lock_held_and_free() {
    let seen = results(|| {
        let lock = Mutex::new(());
        thread::scope(|scope| {
            let trying = scope.spawn(|| lock.try_lock().is_ok());
            drop(lock.lock().unwrap());
            trying.join().unwrap()
        })
    });
    assert_eq!(seen, set([false, true]));
}

#[test]
fn a_forgotten_guard_of_a_lock_that_is_gone_does_not_hold_a_new_one() {
    let seen = endings(|| {
        for _ in 0..3 {
            let lock = Box::new(Mutex::new(()));
            std::mem::forget(lock.lock());
        }
    });
    assert_eq!(seen, text_set(["finished"]));
}

#[test]
fn readers_see_no_half_done_write() {
    let seen = results(|| {
        let pair = RwLock::new((0, 0));
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut pair = pair.write().unwrap();
                pair.0 += 1;
                thread::yield_now();
                pair.1 += 1;
            });
            let reader = scope.spawn(|| *pair.read().unwrap());
            reader.join().unwrap()
        })
    });
    assert_eq!(seen, set([(0, 0), (1, 1)]));
}

#[test]
fn readers_hold_the_lock_together_and_writers_alone() {
    let seen = results(|| {
        let lock = RwLock::new(());
        thread::scope(|scope| {
            let first = scope.spawn(|| {
                let _guard = lock.read().unwrap();
                (lock.try_read().is_ok(), lock.try_write().is_ok())
            });
            let second = scope.spawn(|| {
                let _guard = lock.write().unwrap();
                (lock.try_read().is_ok(), lock.try_write().is_ok())
            });
            (first.join().unwrap(), second.join().unwrap())
        })
    });
    // Trying to read fails beside another reader where the writer has come in between, as in `std`.
    let alone = (false, false);
    assert_eq!(seen, set([((true, false), alone), (alone, alone)]));
}

#[test]
fn no_writer_comes_between_a_write_and_its_downgrade() {
    let seen = results(|| {
        let lock = RwLock::new(0);
        thread::scope(|scope| {
            let downgrading = scope.spawn(|| {
                let mut writer = lock.write().unwrap();
                *writer = 1;
                let reader = RwLockWriteGuard::downgrade(writer);
                *reader
            });
            scope.spawn(|| *lock.write().unwrap() = 2);
            let other = scope.spawn(|| *lock.read().unwrap());
            other.join().unwrap();
            downgrading.join().unwrap()
        })
    });
    assert_eq!(seen, set([1]));
}

#[test]
fn a_flag_that_is_not_read_under_the_mutex_loses_the_wakeup() {
    let program = |checked: bool| {
        endings(move || {
            let shared = Arc::new((Mutex::new(false), Condvar::new()));
            let theirs = Arc::clone(&shared);
            let waiter = thread::spawn(move || {
                let (ready, condvar) = &*theirs;
                if checked {
                    drop(condvar.wait_while(ready.lock().unwrap(), |ready| !*ready));
                } else {
                    drop(condvar.wait(ready.lock().unwrap()));
                }
            });
            *shared.0.lock().unwrap() = true;
            shared.1.notify_one();
            waiter.join().unwrap();
        })
    };
    assert_eq!(program(true), text_set(["finished"]));
    assert_eq!(
        program(false),
        text_set([
            "deadlock: waits for the end of thread 1; waits on Condvar#1",
            "finished",
        ])
    );
}

#[test]
fn a_timed_wait_ends_without_a_notification_and_takes_no_real_time() {
    let start = Instant::now();
    let seen = results(|| {
        let lock = Mutex::new(());
        let condvar = Condvar::new();
        let hour = Duration::from_secs(3600);
        let (guard, first) = condvar.wait_timeout(lock.lock().unwrap(), hour).unwrap();
        let (guard, second) = condvar.wait_timeout_while(guard, hour, |()| true).unwrap();
        let (_guard, third) = condvar.wait_timeout_while(guard, hour, |()| false).unwrap();
        [first, second, third].map(|result| result.timed_out())
    });
    assert_eq!(seen, set([[true, true, false]]));
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_notified_timed_wait_has_not_timed_out() {
    let seen = results(|| {
        let lock = Mutex::new(false);
        let condvar = Condvar::new();
        thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                let guard = lock.lock().unwrap();
                let long = Duration::from_secs(9);
                let (guard, result) = condvar
                    .wait_timeout_while(guard, long, |ready| !*ready)
                    .unwrap();
                (*guard, result.timed_out())
            });
            *lock.lock().unwrap() = true;
            condvar.notify_all();
            waiter.join().unwrap()
        })
    });
    assert_eq!(seen, set([(true, false)]));
}

#[test]
fn a_barrier_has_one_leader_and_no_thread_leaves_early() {
    let seen = results(|| {
        let barrier = Barrier::new(2);
        let arrived = Mutex::new(0);
        thread::scope(|scope| {
            let pass = || {
                *arrived.lock().unwrap() += 1;
                let leader = barrier.wait().is_leader();
                assert_eq!(*arrived.lock().unwrap(), 2);
                u32::from(leader)
            };
            let first = scope.spawn(pass);
            let second = scope.spawn(pass);
            first.join().unwrap() + second.join().unwrap()
        })
    });
    assert_eq!(seen, set([1]));
}

#[test]
fn a_barrier_that_waits_for_one_too_many_deadlocks() {
    let seen = endings(|| {
        Barrier::new(2).wait();
    });
    assert_eq!(
        seen,
        text_set(["deadlock: waits at Barrier#1 with 1 arrived"])
    );
}

#[test]
fn debug_output_of_a_held_lock_says_so_inside_an_execution() {
    let seen = results(|| {
        let lock = Mutex::new(5);
        let free = format!("{lock:?}");
        let _guard = lock.lock().unwrap();
        (free, format!("{lock:?}"))
    });
    let free = "Mutex { data: 5, poisoned: false, .. }".to_owned();
    let held = "Mutex { data: \"<locked>\", poisoned: false, .. }".to_owned();
    let real = std::sync::Mutex::new(5);
    assert_eq!(free, format!("{real:?}"));
    let _guard = real.lock();
    assert_eq!(held.replace('"', ""), format!("{real:?}").replace('"', ""));
    assert_eq!(seen, set([(free, format!("{real:?}"))]));
}

#[test]
fn a_lock_that_a_foreign_thread_holds_ends_the_execution_as_unsupported() {
    let lock = Mutex::new(());
    let release = std::sync::Barrier::new(2);
    let held = std::sync::Barrier::new(2);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _guard = lock.lock();
            held.wait();
            release.wait();
        });
        held.wait();
        let seen = endings(|| drop(lock.lock()));
        release.wait();
        let [ending] = seen.into_iter().collect::<Vec<_>>().try_into().unwrap();
        assert!(
            ending.starts_with("Unsupported") && ending.contains("locks.rs"),
            "{ending}"
        );
    });
}
