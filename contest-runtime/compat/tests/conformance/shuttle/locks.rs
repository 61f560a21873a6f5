//! `basic/mutex.rs`, `basic/rwlock.rs`, `basic/panic.rs`: exclusion, tries, deadlocks, poison.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use contest::FindingKind;
use contest::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use contest::sync::{Mutex, RwLock, TryLockError};
use contest::thread;

use super::{failure, outcomes};

#[test]
fn increments_under_a_mutex_are_not_lost_and_without_it_they_are() {
    let total = outcomes(|| {
        let value = Arc::new(Mutex::new(0));
        let theirs = Arc::clone(&value);
        let thread = thread::spawn(move || *theirs.lock().unwrap() += 1);
        *value.lock().unwrap() += 1;
        thread.join().unwrap();
        Arc::into_inner(value).unwrap().into_inner().unwrap()
    });
    assert_eq!(total, BTreeSet::from([2]));
    let total = outcomes(|| {
        let value = Arc::new(Mutex::new(0));
        let theirs = Arc::clone(&value);
        let increment = |value: &Mutex<i32>| {
            let before = *value.lock().unwrap();
            *value.lock().unwrap() = before + 1;
        };
        let thread = thread::spawn(move || increment(&theirs));
        increment(&value);
        thread.join().unwrap();
        *value.lock().unwrap()
    });
    assert_eq!(total, BTreeSet::from([1, 2]));
}

#[test]
fn try_lock_fails_exactly_while_another_holds_it() {
    let seen = outcomes(|| {
        let value = Arc::new(Mutex::new(0));
        let theirs = Arc::clone(&value);
        let thread = thread::spawn(move || *theirs.lock().unwrap() = 1);
        let seen = match value.try_lock() {
            Ok(value) => Some(*value),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Poisoned(_)) => unreachable!(),
        };
        thread.join().unwrap();
        seen
    });
    assert_eq!(seen, BTreeSet::from([None, Some(0), Some(1)]));
}

#[test]
fn try_lock_of_a_lock_one_holds_oneself_fails() {
    outcomes(|| {
        let (mutex, lock) = (Mutex::new(()), RwLock::new(()));
        let _held = mutex.lock().unwrap();
        assert!(matches!(mutex.try_lock(), Err(TryLockError::WouldBlock)));
        let _written = lock.write().unwrap();
        assert!(lock.try_read().is_err() && lock.try_write().is_err());
    });
}

#[test]
fn a_lock_taken_twice_by_one_thread_is_a_deadlock_with_itself() {
    let again: [fn(); 4] = [
        || {
            let mutex = Mutex::new(());
            let _held = mutex.lock().unwrap();
            drop(mutex.lock());
        },
        || {
            let lock = RwLock::new(());
            let _held = lock.write().unwrap();
            drop(lock.write());
        },
        || {
            let lock = RwLock::new(());
            let _held = lock.read().unwrap();
            drop(lock.write());
        },
        || {
            let lock = RwLock::new(());
            let _held = lock.write().unwrap();
            drop(lock.read());
        },
    ];
    for model in again {
        let report = contest::Builder::new().run(model);
        let finding = report.findings().first().expect("a deadlock");
        assert_eq!(finding.kind, FindingKind::Deadlock);
        assert!(
            finding.details[0].contains("held by the main thread"),
            "{:?}",
            finding.details
        );
    }
}

#[test]
fn two_locks_in_both_orders_deadlock_and_in_one_order_do_not() {
    let model = |swapped: bool| {
        move || {
            let locks = Arc::new((Mutex::new(()), Mutex::new(())));
            let theirs = Arc::clone(&locks);
            let thread = thread::spawn(move || {
                let _first = theirs.0.lock().unwrap();
                let _second = theirs.1.lock().unwrap();
            });
            let (first, second) = if swapped {
                (&locks.1, &locks.0)
            } else {
                (&locks.0, &locks.1)
            };
            let _first = first.lock().unwrap();
            drop(second.lock().unwrap());
            drop(_first);
            thread.join().unwrap();
        }
    };
    outcomes(model(false));
    assert_eq!(failure(model(true)).kind, FindingKind::Deadlock);
}

#[test]
fn readers_share_and_writers_do_not() {
    let seen = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let inside = Arc::new(AtomicUsize::new(0));
        let most = Arc::new(AtomicUsize::new(0));
        let read = |_| {
            let (lock, inside, most) = (Arc::clone(&lock), Arc::clone(&inside), Arc::clone(&most));
            thread::spawn(move || {
                let value = lock.read().unwrap();
                most.fetch_max(inside.fetch_add(1, SeqCst) + 1, SeqCst);
                assert_eq!(*value % 2, 0, "a writer is half done");
                inside.fetch_sub(1, SeqCst);
            })
        };
        let threads: Vec<_> = (0..2).map(read).collect();
        {
            let mut value = lock.write().unwrap();
            *value = 1;
            assert_eq!(inside.load(SeqCst), 0);
            *value = 2;
        }
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        most.load(SeqCst)
    });
    assert_eq!(seen, BTreeSet::from([1, 2]));
}

#[test]
fn a_read_lock_can_be_tried_beside_readers_and_a_write_lock_cannot() {
    let seen = outcomes(|| {
        let lock = Arc::new(RwLock::new(()));
        let theirs = Arc::clone(&lock);
        let thread = thread::spawn(move || drop(theirs.read().unwrap()));
        let read = lock.try_read().is_ok();
        let write = lock.try_write().is_ok();
        thread.join().unwrap();
        (read, write)
    });
    assert_eq!(seen, BTreeSet::from([(true, true), (true, false)]));
}

#[test]
fn a_panic_poisons_the_locks_that_are_held_exclusively_and_no_others() {
    outcomes(|| {
        let mutex = Arc::new(Mutex::new(()));
        let (written, read) = (Arc::new(RwLock::new(())), Arc::new(RwLock::new(())));
        let other = Mutex::new(());
        let _held = other.lock().unwrap();
        let theirs = (Arc::clone(&mutex), Arc::clone(&written), Arc::clone(&read));
        let thread = thread::spawn(move || {
            catch_unwind(AssertUnwindSafe(|| {
                let _held = (
                    theirs.0.lock().unwrap(),
                    theirs.1.write().unwrap(),
                    theirs.2.read().unwrap(),
                );
                panic!("poison");
            }))
        });
        assert!(thread.join().unwrap().is_err());
        assert!(mutex.lock().is_err() && written.read().is_err());
        assert!(read.read().is_ok());
        drop(_held);
        assert!(other.lock().is_ok());
    });
}
