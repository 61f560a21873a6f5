//! loom `tests/mutex.rs`.

use std::rc::Rc;
use std::sync::Arc;

use contest::cell::UnsafeCell;
use contest::sync::Mutex;
use contest::sync::atomic::{AtomicU32, Ordering};
use contest::thread;

use crate::runs::{Shared, increment, join_all, passes, read};

#[test]
fn only_one_thread_is_between_lock_and_unlock() {
    passes(|| {
        let shared = Arc::new((Mutex::new(0), AtomicU32::new(0)));
        let threads = [(); 2].map(|()| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut guarded = shared.0.lock().unwrap();
                assert_eq!(shared.1.fetch_add(1, Ordering::SeqCst), *guarded);
                *guarded += 1;
            })
        });
        join_all(threads);
        assert_eq!(*shared.0.lock().unwrap(), shared.1.load(Ordering::SeqCst));
    });
}

#[test]
fn what_was_written_before_an_unlock_may_be_read_after_the_lock() {
    passes(|| {
        let shared = Shared::new((UnsafeCell::new(0), Mutex::new(false)));
        let theirs = Arc::clone(&shared);
        thread::spawn(move || {
            increment(&theirs.get().0);
            *theirs.get().1.lock().unwrap() = true;
        });
        let written = *shared.get().1.lock().unwrap();
        if written {
            assert_eq!(read(&shared.get().0), 1);
        }
    });
}

#[test]
fn the_value_comes_out_of_a_mutex_that_is_shared_no_more() {
    passes(|| {
        let mutex = Rc::new(Mutex::new(0));
        let threads = [(); 2].map(|()| {
            let mutex = Rc::clone(&mutex);
            contest_compat::loom::spawn(move || *mutex.lock().unwrap() += 1)
        });
        join_all(threads);
        let mutex = Rc::try_unwrap(mutex).unwrap();
        assert_eq!(mutex.into_inner().unwrap(), 2);
    });
}
