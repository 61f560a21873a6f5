//! Locks, condition variables and barriers between real threads.

use std::time::Duration;

use contest::sync::{Arc, Barrier, Condvar, Mutex, RwLock, RwLockWriteGuard, TryLockError, mpsc};
use contest::thread;

#[test]
fn a_mutex_between_real_threads_loses_no_update() {
    let count = Mutex::new(0_u32);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5_000 {
                    *count.lock().unwrap() += 1;
                }
            });
        }
    });
    assert_eq!(count.into_inner().unwrap(), 20_000);
}

#[test]
fn a_held_mutex_is_not_taken_by_try_lock() {
    let lock = Mutex::new(1);
    let guard = lock.lock().unwrap();
    assert!(matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
    drop(guard);
    assert_eq!(*lock.try_lock().unwrap(), 1);
    assert_eq!(format!("{}", lock.lock().unwrap()), "1");
}

#[test]
fn readers_share_and_writers_do_not() {
    let lock = RwLock::new(1);
    let first = lock.read().unwrap();
    let second = lock.try_read().unwrap();
    assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
    assert_eq!(*first + *second, 2);
    drop((first, second));
    let writer = lock.write().unwrap();
    assert!(matches!(lock.try_read(), Err(TryLockError::WouldBlock)));
    let reader = RwLockWriteGuard::downgrade(writer);
    assert_eq!(*lock.try_read().unwrap() + *reader, 2);
    assert!(lock.try_write().is_err());
}

#[test]
fn a_read_write_lock_between_real_threads_loses_no_update() {
    let count = RwLock::new(0_u32);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..2_000 {
                    let seen = *count.read().unwrap();
                    let mut guard = count.write().unwrap();
                    assert!(*guard >= seen);
                    *guard += 1;
                }
            });
        }
    });
    assert_eq!(count.into_inner().unwrap(), 8_000);
}

#[test]
fn a_waiting_thread_is_woken_by_notify_one() {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let theirs = Arc::clone(&pair);
    let (started, starts) = mpsc::channel();
    let waiter = thread::spawn(move || {
        let (lock, condvar) = &*theirs;
        let mut ready = lock.lock().unwrap();
        started.send(()).unwrap();
        while !*ready {
            ready = condvar.wait(ready).unwrap();
        }
        *ready
    });
    starts.recv().unwrap();
    *pair.0.lock().unwrap() = true;
    pair.1.notify_one();
    assert!(waiter.join().unwrap());
}

#[test]
fn all_waiting_threads_are_woken_by_notify_all() {
    let turn = Mutex::new(0);
    let condvar = Condvar::new();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let guard = condvar.wait_while(turn.lock().unwrap(), |turn| *turn == 0);
                assert_eq!(*guard.unwrap(), 1);
            });
        }
        *turn.lock().unwrap() = 1;
        condvar.notify_all();
    });
}

#[test]
#[expect(deprecated, reason = "std still has it")]
fn a_wait_without_a_notification_times_out_with_the_mutex_held() {
    let lock = Mutex::new(1);
    let condvar = Condvar::default();
    let short = Duration::from_millis(2);
    let (guard, result) = condvar.wait_timeout(lock.lock().unwrap(), short).unwrap();
    assert!(result.timed_out());
    assert!(lock.try_lock().is_err());
    let (guard, result) = condvar.wait_timeout_while(guard, short, |_| true).unwrap();
    assert!(result.timed_out());
    let (guard, result) = condvar.wait_timeout_while(guard, short, |_| false).unwrap();
    assert!(!result.timed_out());
    let (guard, notified) = condvar.wait_timeout_ms(guard, 2).unwrap();
    assert!(!notified);
    assert!(lock.try_lock().is_err());
    drop(guard);
    assert!(lock.try_lock().is_ok());
}

#[test]
fn a_barrier_releases_all_and_names_one_leader_each_round() {
    let barrier = Barrier::new(3);
    let leaders = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for round in 0..50 {
                    if barrier.wait().is_leader() {
                        leaders.lock().unwrap().push(round);
                    }
                }
            });
        }
    });
    assert_eq!(leaders.into_inner().unwrap(), (0..50).collect::<Vec<_>>());
}
