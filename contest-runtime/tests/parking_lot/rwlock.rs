//! `RwLock`: reading, writing, downgrading.

use std::time::Duration;

use contest::parking_lot::{
    Condvar, Mutex, RwLock, RwLockReadGuard, RwLockUpgradableReadGuard, RwLockWriteGuard,
    const_rwlock,
};
use contest::sync::Arc;
use contest::thread;

use super::{assert_outcomes, everywhere};

#[test]
fn many_read_and_one_writes() {
    everywhere(|| {
        let lock = RwLock::new(1);
        let one = lock.read();
        let two = lock.read();
        assert_eq!(*one + *two, 2);
        assert!(lock.try_write().is_none());
        assert!(lock.is_locked() && !lock.is_locked_exclusive());
        drop((one, two));
        let mut write = lock.write();
        *write = 2;
        assert!(lock.try_read().is_none() && lock.try_write().is_none());
        assert!(lock.is_locked_exclusive());
        RwLockWriteGuard::unlock_fair(write);
        RwLockReadGuard::unlock_fair(lock.read());
        assert_eq!(*lock.read_recursive(), 2);
    });
}

#[test]
fn writers_exclude_each_other() {
    everywhere(|| {
        let lock = Arc::new(RwLock::new(0));
        let theirs = Arc::clone(&lock);
        let thread = thread::spawn(move || {
            let mut value = theirs.write();
            let seen = *value;
            thread::yield_now();
            *value = seen + 1;
        });
        *lock.write() += 1;
        thread.join().unwrap();
        assert_eq!(*lock.read(), 2);
    });
}

#[test]
fn no_thread_writes_between_a_downgrade_and_the_read() {
    everywhere(|| {
        let lock = Arc::new(RwLock::new(0));
        let theirs = Arc::clone(&lock);
        let thread = thread::spawn(move || *theirs.write() = 2);
        let mut write = lock.write();
        *write = 1;
        let read = RwLockWriteGuard::downgrade(write);
        assert_eq!(*read, 1);
        assert!(lock.try_write().is_none());
        drop(read);
        thread.join().unwrap();
        assert!([1, 2].contains(&lock.read()));
    });
}

#[test]
fn a_bump_lets_a_writer_in() {
    assert_outcomes(
        || {
            let lock = Arc::new(RwLock::new(0));
            let theirs = Arc::clone(&lock);
            let mut read = lock.read();
            let thread = thread::spawn(move || *theirs.write() = 1);
            let before = *read;
            RwLockReadGuard::bump(&mut read);
            let after = *read;
            drop(read);
            thread.join().unwrap();
            (before, after)
        },
        &[(0, 0), (0, 1)],
    );
}

#[test]
fn mapped_guards_hold_the_lock() {
    everywhere(|| {
        let lock = RwLock::new((1, 2));
        let first = RwLockReadGuard::map(lock.read(), |pair| &pair.0);
        assert!(lock.try_write().is_none());
        drop(first);
        let mut second = RwLockWriteGuard::map(lock.write(), |pair| &mut pair.1);
        *second = 3;
        assert!(lock.try_read().is_none());
        drop(second);
        assert_eq!(lock.into_inner(), (1, 3));
    });
}

#[test]
fn waiting_for_a_lock_has_an_end() {
    everywhere(|| {
        let limit = Duration::from_millis(1);
        let lock = RwLock::new(());
        let write = lock.write();
        assert!(lock.try_read_for(limit).is_none());
        assert!(lock.try_read_recursive_for(limit).is_none());
        assert!(lock.try_write_for(limit).is_none());
        assert!(lock.try_upgradable_read_for(limit).is_none());
        drop(write);
        assert!(lock.try_read_for(limit).is_some());
    });
}

#[cfg(feature = "explore")]
#[test]
fn who_waits_to_write_holds_back_a_second_read_of_a_reader() {
    let nested = || {
        let lock = Arc::new(RwLock::new(0));
        let theirs = Arc::clone(&lock);
        let thread = thread::spawn(move || *theirs.write() = 1);
        let first = lock.read();
        let second = lock.read();
        drop((first, second));
        thread.join().unwrap();
    };
    assert_eq!(super::finding(nested), contest::FindingKind::Deadlock);
}

#[test]
fn a_recursive_read_is_not_held_back() {
    assert_outcomes(
        || {
            let lock = Arc::new(RwLock::new(0));
            let theirs = Arc::clone(&lock);
            let thread = thread::spawn(move || *theirs.write() = 1);
            let first = lock.read();
            let second = lock.read_recursive();
            let seen = (*first, *second);
            drop((first, second));
            thread.join().unwrap();
            seen
        },
        &[(0, 0), (1, 1)],
    );
}

#[test]
fn real_threads_wait_for_each_other() {
    let lock = Arc::new((RwLock::new(0), Mutex::new(0), Condvar::new()));
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                for _ in 0..2_000 {
                    *lock.0.write() += 1;
                    let upgradable = lock.0.upgradable_read();
                    drop(lock.0.read());
                    *RwLockUpgradableReadGuard::upgrade(upgradable) += 1;
                    // The threads take turns.
                    let mut turn = lock.1.lock();
                    lock.2.wait_while(&mut turn, |turn| *turn % 4 != number);
                    *turn += 1;
                    lock.2.notify_all();
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!((*lock.0.read(), *lock.1.lock()), (16_000, 8_000));
}

#[test]
fn a_static_can_be_made() {
    static LOCK: RwLock<u8> = const_rwlock(1);
    assert_eq!(*LOCK.read(), 1);
    assert!(LOCK.try_read_arc_like());
}

/// Only that `read_arc` is there.
trait ReadArc {
    fn try_read_arc_like(&self) -> bool;
}

impl ReadArc for RwLock<u8> {
    fn try_read_arc_like(&self) -> bool {
        let lock = Arc::new(RwLock::new(1_u8));
        let read = lock.read_arc();
        *read == 1 && lock.try_write_arc().is_none()
    }
}
