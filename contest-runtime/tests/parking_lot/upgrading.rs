//! Upgradable reads.

use std::time::Duration;

use contest::parking_lot::{RwLock, RwLockUpgradableReadGuard as Upgradable, RwLockWriteGuard};
use contest::sync::Arc;
use contest::thread;

use super::{assert_outcomes, everywhere};

#[test]
fn one_upgradable_reader_is_beside_readers_and_no_other() {
    everywhere(|| {
        let lock = RwLock::new(1);
        let upgradable = lock.upgradable_read();
        assert!(lock.try_read().is_some());
        assert!(lock.try_upgradable_read().is_none());
        assert!(lock.try_write().is_none());
        assert_eq!(*upgradable, 1);
        drop(upgradable);
        let read = lock.read();
        drop(read);
        assert!(lock.try_write().is_some());
    });
}

#[test]
fn no_thread_writes_between_the_look_and_the_upgraded_write() {
    everywhere(|| {
        let lock = Arc::new(RwLock::new(0));
        let increment = |lock: &RwLock<i32>| {
            let seen = lock.upgradable_read();
            let next = *seen + 1;
            *Upgradable::upgrade(seen) = next;
        };
        let theirs = Arc::clone(&lock);
        let thread = thread::spawn(move || increment(&theirs));
        increment(&lock);
        *lock.write() += 1;
        thread.join().unwrap();
        assert_eq!(*lock.read(), 3);
    });
}

#[test]
fn an_upgrade_waits_for_readers() {
    everywhere(|| {
        let lock = Arc::new(RwLock::new(0));
        let theirs = Arc::clone(&lock);
        let thread = thread::spawn(move || {
            let read = theirs.read();
            let first = *read;
            thread::yield_now();
            assert_eq!(first, *read);
        });
        let mut write = Upgradable::upgrade(lock.upgradable_read());
        *write = 1;
        drop(write);
        thread.join().unwrap();
    });
}

#[test]
fn trying_to_upgrade_beside_a_reader_gives_the_guard_back() {
    everywhere(|| {
        let lock = RwLock::new(0);
        let read = lock.read();
        let upgradable = lock.upgradable_read();
        let Err(upgradable) = Upgradable::try_upgrade(upgradable) else {
            panic!("beside a reader");
        };
        let Err(upgradable) = Upgradable::try_upgrade_for(upgradable, Duration::from_millis(1))
        else {
            panic!("beside a reader");
        };
        drop(read);
        *Upgradable::try_upgrade(upgradable).unwrap() = 1;
        assert_eq!(*lock.read(), 1);
    });
}

#[test]
fn a_try_goes_either_way_beside_a_reader_that_comes_and_goes() {
    assert_outcomes(
        || {
            let lock = Arc::new(RwLock::new(0));
            let theirs = Arc::clone(&lock);
            let thread = thread::spawn(move || drop(theirs.read()));
            let upgradable = lock.upgradable_read();
            let upgraded = Upgradable::try_upgrade(upgradable).is_ok();
            thread.join().unwrap();
            upgraded
        },
        &[true, false],
    );
}

#[test]
fn guards_change_their_mode_without_letting_go() {
    everywhere(|| {
        let lock = Arc::new(RwLock::new(0));
        let theirs = Arc::clone(&lock);
        let thread = thread::spawn(move || *theirs.write() += 10);
        let mut write = lock.write();
        let seen = *write;
        *write += 1;
        let upgradable = RwLockWriteGuard::downgrade_to_upgradable(write);
        assert_eq!(*upgradable, seen + 1);
        assert!(lock.try_write().is_none());
        let read = Upgradable::downgrade(upgradable);
        assert_eq!(*read, seen + 1);
        drop(read);
        thread.join().unwrap();
        assert_eq!(*lock.read(), 11);
    });
}

#[test]
fn with_upgraded_writes_and_reads_on() {
    everywhere(|| {
        let lock = RwLock::new(0);
        let mut upgradable = lock.upgradable_read();
        upgradable.with_upgraded(|value| *value = 1);
        assert_eq!(upgradable.try_with_upgraded(|value| *value + 1), Some(2));
        assert_eq!(*upgradable, 1);
        Upgradable::bump(&mut upgradable);
        Upgradable::unlock_fair(upgradable);
        assert!(!lock.is_locked());
    });
}

#[cfg(feature = "explore")]
#[test]
fn two_readers_that_both_want_to_write_are_a_deadlock_and_upgradable_ones_are_not() {
    // What upgradable reads are for: see the test above for the way that works.
    let kind = super::finding(|| {
        let lock = Arc::new(RwLock::new(0));
        let theirs = Arc::clone(&lock);
        let thread = thread::spawn(move || {
            let upgradable = theirs.upgradable_read();
            drop(Upgradable::upgrade(upgradable));
        });
        let read = lock.read();
        let upgradable = lock.upgradable_read();
        drop(Upgradable::upgrade(upgradable));
        drop(read);
        thread.join().unwrap();
    });
    assert_eq!(kind, contest::FindingKind::Deadlock);
}
