//! Poisoning in std `mutex.rs`, `rwlock.rs` and `condvar.rs`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use contest::sync::mpsc::channel;
use contest::sync::{Condvar, Mutex, RwLock, TryLockError};
use contest::thread;

use crate::runs::inside_and_outside;

fn poisoned_mutex(value: u32) -> Mutex<u32> {
    let mutex = Mutex::new(value);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _guard = mutex.lock().unwrap();
        panic!("to poison");
    }));
    assert!(panicked.is_err());
    mutex
}

fn poisoned_lock(value: u32) -> RwLock<u32> {
    let lock = RwLock::new(value);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _guard = lock.write().unwrap();
        panic!("to poison");
    }));
    assert!(panicked.is_err());
    lock
}

#[test]
fn a_mutex_stays_usable_after_panics_under_its_lock() {
    inside_and_outside(|| {
        let mutex = poisoned_mutex(42);
        assert!(mutex.is_poisoned());
        for _ in 0..2 {
            assert_eq!(*mutex.lock().unwrap_err().into_inner(), 42);
            assert!(matches!(mutex.try_lock(), Err(TryLockError::Poisoned(_))));
        }
        mutex.clear_poison();
        assert_eq!(*mutex.lock().unwrap(), 42);
    });
}

#[test]
fn a_poisoned_mutex_gives_its_value_in_the_error() {
    inside_and_outside(|| {
        let mut mutex = poisoned_mutex(10);
        *mutex.get_mut().unwrap_err().into_inner() += 1;
        assert_eq!(mutex.into_inner().unwrap_err().into_inner(), 11);
    });
}

#[test]
fn a_panic_of_another_thread_poisons_the_mutex() {
    inside_and_outside(|| {
        let mutex = Arc::new(Mutex::new(1));
        assert!(!mutex.is_poisoned());
        let theirs = Arc::clone(&mutex);
        let thread = thread::spawn(move || {
            let _guard = theirs.lock().unwrap();
            panic!("to poison");
        });
        assert!(thread.join().is_err());
        assert!(mutex.lock().is_err() && mutex.is_poisoned());
    });
}

#[test]
fn a_poisoned_lock_gives_its_value_in_the_error() {
    inside_and_outside(|| {
        let mut lock = poisoned_lock(10);
        assert_eq!(*lock.read().unwrap_err().into_inner(), 10);
        *lock.get_mut().unwrap_err().into_inner() += 1;
        assert_eq!(lock.into_inner().unwrap_err().into_inner(), 11);
    });
}

#[test]
fn a_panic_of_a_writer_poisons_the_lock_that_of_a_reader_does_not() {
    inside_and_outside(|| {
        for writes in [true, false] {
            let lock = Arc::new(RwLock::new(1));
            let theirs = Arc::clone(&lock);
            let thread = thread::spawn(move || {
                let _writing = writes.then(|| theirs.write().unwrap());
                let _reading = (!writes).then(|| theirs.read().unwrap());
                panic!("to poison");
            });
            assert!(thread.join().is_err());
            assert_eq!(lock.is_poisoned(), writes);
            assert_eq!(lock.read().is_err(), writes);
            assert_eq!(lock.write().is_err(), writes);
        }
    });
}

#[test]
fn a_lock_can_be_taken_for_writing_while_unwinding() {
    inside_and_outside(|| {
        struct Locks(Arc<RwLock<u32>>);
        impl Drop for Locks {
            fn drop(&mut self) {
                *self.0.write().unwrap() += 1;
            }
        }
        let lock = Arc::new(RwLock::new(1));
        let locks = Locks(Arc::clone(&lock));
        let thread = thread::spawn(move || {
            let _locks = locks;
            panic!("to unwind");
        });
        assert!(thread.join().is_err());
        assert_eq!(*lock.read().unwrap(), 2);
    });
}

#[test]
fn a_waiter_learns_that_its_mutex_was_poisoned_meanwhile() {
    inside_and_outside(|| {
        let shared = Arc::new((Mutex::new(1), Condvar::new()));
        let (sender, receiver) = channel();
        let theirs = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            receiver.recv().unwrap();
            let _guard = theirs.0.lock().unwrap();
            theirs.1.notify_one();
            panic!("to poison");
        });
        let mut guard = shared.0.lock().unwrap();
        sender.send(()).unwrap();
        while *guard == 1 {
            match shared.1.wait(guard) {
                Ok(again) => guard = again,
                Err(poisoned) => {
                    assert_eq!(**poisoned.get_ref(), 1);
                    break;
                }
            }
        }
        assert!(thread.join().is_err());
    });
}
