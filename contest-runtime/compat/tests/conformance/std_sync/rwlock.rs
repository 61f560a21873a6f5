//! std `rwlock.rs`, without poisoning, which is in `poison`.

use std::sync::Arc;

use contest::sync::atomic::{AtomicU32, Ordering};
use contest::sync::mpsc::channel;
use contest::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use contest::thread;

use crate::runs::{inside_and_outside, join_all};

#[test]
fn a_lock_can_be_taken_again_in_both_ways() {
    inside_and_outside(|| {
        let lock = RwLock::new(());
        drop(lock.read().unwrap());
        drop(lock.write().unwrap());
        drop((lock.read().unwrap(), lock.read().unwrap()));
        drop(lock.write().unwrap());
    });
}

#[test]
fn readers_and_writers_in_any_order_all_get_through() {
    inside_and_outside(|| {
        let lock = Arc::new(RwLock::new(()));
        let (sender, receiver) = channel::<()>();
        for first_writes in [true, false] {
            let (lock, sender) = (Arc::clone(&lock), sender.clone());
            thread::spawn(move || {
                for writes in [first_writes, !first_writes] {
                    if writes {
                        drop(lock.write().unwrap());
                    } else {
                        drop(lock.read().unwrap());
                    }
                }
                drop(sender);
            });
        }
        drop(sender);
        assert!(receiver.recv().is_err());
    });
}

#[test]
fn readers_do_not_see_what_a_writer_has_not_finished() {
    inside_and_outside(|| {
        let lock = Arc::new(RwLock::new(0));
        let (sender, receiver) = channel();
        let theirs = Arc::clone(&lock);
        thread::spawn(move || {
            let mut value = theirs.write().unwrap();
            for _ in 0..2 {
                let next = *value + 1;
                *value = -1;
                thread::yield_now();
                *value = next;
            }
            sender.send(()).unwrap();
        });
        let readers = [(); 2].map(|()| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || assert!(*lock.read().unwrap() >= 0))
        });
        join_all(readers);
        receiver.recv().unwrap();
        assert_eq!(*lock.read().unwrap(), 2);
    });
}

#[test]
fn a_lock_may_hold_a_slice() {
    inside_and_outside(|| {
        let lock: &RwLock<[u8]> = &RwLock::new([1, 2, 3]);
        lock.write().unwrap()[2] = 5;
        assert_eq!(*lock.read().unwrap(), [1, 2, 5]);
    });
}

#[test]
fn the_value_can_be_reached_by_ownership_and_is_dropped_once() {
    struct Counts(Arc<AtomicU32>);
    impl Drop for Counts {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    inside_and_outside(|| {
        let drops = Arc::new(AtomicU32::new(0));
        let mut lock = RwLock::new(Counts(Arc::new(AtomicU32::new(0))));
        *lock.get_mut().unwrap() = Counts(Arc::clone(&drops));
        let value = lock.into_inner().unwrap();
        assert_eq!(drops.load(Ordering::SeqCst), 0);
        drop(value);
        assert_eq!(drops.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn a_read_guard_is_covariant() {
    fn shortened<'a>(guard: &RwLockReadGuard<'_, &'a u8>, _: &'a u8) -> u8 {
        ***guard
    }
    inside_and_outside(|| {
        let long = 5;
        let lock = RwLock::new(&long);
        let short = 6;
        assert_eq!(shortened(&lock.read().unwrap(), &short), 5);
    });
}

#[test]
fn a_writer_that_becomes_a_reader_lets_no_other_writer_in_between() {
    inside_and_outside(|| {
        let lock = Arc::new(RwLock::new(0));
        let mut writing = lock.write().unwrap();
        let writers = [(); 2].map(|()| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                let mut value = lock.write().unwrap();
                *value += 1;
                let written = *value;
                let value = RwLockWriteGuard::downgrade(value);
                assert_eq!(*value, written);
            })
        });
        *writing = -1;
        let reading = RwLockWriteGuard::downgrade(writing);
        assert_eq!(*reading, -1);
        drop(reading);
        join_all(writers);
        assert_eq!(*lock.read().unwrap(), 1);
    });
}

#[test]
fn trying_to_write_fails_beside_a_reader() {
    inside_and_outside(|| {
        let lock = RwLock::new(0);
        let reading = lock.read().unwrap();
        assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
        assert!(lock.try_read().is_ok());
        drop(reading);
        assert!(lock.try_write().is_ok());
    });
}
