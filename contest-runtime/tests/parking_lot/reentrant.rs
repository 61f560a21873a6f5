//! `ReentrantMutex`.

use std::cell::Cell;

use contest::parking_lot::{ReentrantMutex, ReentrantMutexGuard, const_reentrant_mutex};
use contest::sync::Arc;
use contest::thread;

use super::{assert_outcomes, everywhere};

#[test]
fn only_the_holder_locks_again() {
    everywhere(|| {
        let mutex = Arc::new(ReentrantMutex::new(Cell::new(0)));
        let theirs = Arc::clone(&mutex);
        let thread = thread::spawn(move || {
            let count = theirs.lock();
            count.set(count.get() + 1);
        });
        let outer = mutex.lock();
        let seen = outer.get();
        let inner = mutex.lock();
        thread::yield_now();
        inner.set(seen + 1);
        drop(inner);
        assert!(mutex.is_owned_by_current_thread());
        drop(outer);
        thread.join().unwrap();
        assert_eq!(mutex.lock().get(), 2);
    });
}

#[test]
fn while_it_is_held_twice_another_thread_cannot_try_it() {
    assert_outcomes(
        || {
            let mutex = Arc::new(ReentrantMutex::new(()));
            let outer = mutex.lock();
            let inner = mutex.lock();
            drop(inner);
            let theirs = Arc::clone(&mutex);
            let thread = thread::spawn(move || theirs.try_lock().is_some());
            let tried = thread.join().unwrap();
            drop(outer);
            tried
        },
        &[false],
    );
}

#[test]
fn mapped_and_fair() {
    everywhere(|| {
        let mutex = ReentrantMutex::new((1, 2));
        let first = ReentrantMutexGuard::map(mutex.lock(), |pair| &pair.0);
        assert!(mutex.try_lock().is_some(), "the same thread");
        assert_eq!(*first, 1);
        drop(first);
        ReentrantMutexGuard::unlock_fair(mutex.lock());
        assert!(!mutex.is_locked());
    });
    static MUTEX: ReentrantMutex<u8> = const_reentrant_mutex(1);
    assert_eq!(*MUTEX.lock(), 1);
}
