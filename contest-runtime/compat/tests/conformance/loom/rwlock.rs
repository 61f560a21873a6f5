//! loom `tests/rwlock.rs` and `tests/rwlock_regression1.rs`.

use std::sync::{Arc, TryLockError};

use contest::sync::RwLock;
use contest::sync::atomic::{AtomicU32, Ordering};
use contest::thread;

use crate::runs::{join_all, passes};

#[test]
fn two_threads_read_at_once() {
    passes(|| {
        let lock = Arc::new(RwLock::new(1));
        let reading = lock.read().unwrap();
        let theirs = Arc::clone(&lock);
        thread::spawn(move || assert_eq!(*theirs.read().unwrap(), 1))
            .join()
            .unwrap();
        assert_eq!(*reading, 1);
    });
}

/// Each thread notes in a counter of its kind that it is inside.
fn crowd(others: [bool; 2]) {
    let shared = Arc::new((RwLock::new(()), AtomicU32::new(0)));
    let inside = |shared: &(RwLock<()>, AtomicU32), writes: bool| {
        if writes {
            let _guard = shared.0.write().unwrap();
            assert_eq!(shared.1.fetch_add(100, Ordering::SeqCst), 0);
            shared.1.fetch_sub(100, Ordering::SeqCst);
        } else {
            let _guard = shared.0.read().unwrap();
            assert!(shared.1.fetch_add(1, Ordering::SeqCst) < 100);
            shared.1.fetch_sub(1, Ordering::SeqCst);
        }
    };
    for writes in others {
        let shared = Arc::clone(&shared);
        thread::spawn(move || inside(&shared, writes));
    }
    inside(&shared, true);
}

#[test]
fn a_writer_is_alone_among_readers() {
    passes(|| crowd([false, false]));
}

#[test]
fn a_writer_is_alone_among_writers() {
    passes(|| crowd([true, true]));
}

#[test]
fn while_one_writes_trying_fails() {
    passes(|| {
        let lock = RwLock::new(1);
        let mut writing = lock.write().unwrap();
        *writing = 2;
        assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
        assert!(matches!(lock.try_read(), Err(TryLockError::WouldBlock)));
    });
}

#[test]
fn while_one_reads_trying_to_write_fails_and_trying_to_read_does_not() {
    passes(|| {
        let lock = RwLock::new(1);
        let reading = lock.read().unwrap();
        assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
        assert_eq!(*lock.try_read().unwrap(), *reading);
    });
}

#[test]
fn the_value_comes_out_of_a_lock_that_is_shared_no_more() {
    passes(|| {
        let lock = Arc::new(RwLock::new(0));
        let threads = [(); 2].map(|()| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || *lock.write().unwrap() += 1)
        });
        join_all(threads);
        assert_eq!(Arc::try_unwrap(lock).unwrap().into_inner().unwrap(), 2);
    });
}

#[test]
fn two_detached_writers_both_end() {
    passes(|| {
        let shared = Arc::new((RwLock::new(1), AtomicU32::new(0)));
        for _ in 0..2 {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut value = shared.0.write().unwrap();
                *value += 1;
                shared.1.fetch_add(1, Ordering::Relaxed);
            });
        }
    });
}
