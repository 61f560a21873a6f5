//! The toys of BurtonQin/lockbud, with what must not be found.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, RwLock};
use std::thread;

use faulty_goker::{MENDED, lock};

/// Who waits for a condition has a lock that who signals it takes first.
#[test]
fn condvar_wait_under_lock() {
    let (other, started, condition) = (Mutex::new(()), Mutex::new(false), Condvar::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            let held = lock(&other);
            if MENDED {
                drop(held);
            }
            drop(condition.wait_while(lock(&started), |it| !*it).unwrap());
        });
        let _held = lock(&other);
        *lock(&started) = true;
        condition.notify_one();
    });
}

/// The same with locks of another crate.
#[test]
fn condvar_wait_under_parking_lot() {
    use parking_lot::{Condvar, Mutex};
    let (other, started, condition) = (Mutex::new(()), Mutex::new(false), Condvar::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            let held = other.lock();
            if MENDED {
                drop(held);
            }
            condition.wait_while(&mut started.lock(), |it| !*it);
        });
        let _held = other.lock();
        *started.lock() = true;
        condition.notify_one();
    });
}

/// What is waited for is set without the lock of the condition.
#[test]
fn condvar_notified_without_lock() {
    let (started, guard, condition) = (AtomicBool::new(false), Mutex::new(()), Condvar::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            let _held = MENDED.then(|| lock(&guard));
            started.store(true, SeqCst);
            condition.notify_one();
        });
        let waiting = |_: &mut ()| !started.load(SeqCst);
        drop(condition.wait_while(lock(&guard), waiting).unwrap());
    });
}

/// Three locks in a circle.
#[test]
fn conflict() {
    let (mutex, first, second) = (Mutex::new(1), RwLock::new(1), RwLock::new(1));
    thread::scope(|scope| {
        scope.spawn(|| {
            let held = lock(&mutex);
            assert!(*held + *first.read().unwrap() > 0);
        });
        scope.spawn(|| {
            let mut held = first.write().unwrap();
            *held += 1;
            if MENDED {
                drop(held);
            }
            assert!(*second.read().unwrap() > 0);
        });
        let mut held = second.write().unwrap();
        *held += *lock(&mutex);
    });
}

/// Two locks in both orders, each in the scrutinee of a `match`.
#[test]
fn conflict_inter() {
    let (mutex, shared) = (Mutex::new(2), RwLock::new(2));
    thread::scope(|scope| {
        scope.spawn(|| match *lock(&mutex) {
            1 => {}
            _ => *shared.write().unwrap() += 1,
        });
        if MENDED {
            let read = *shared.read().unwrap();
            return *lock(&mutex) += read;
        }
        match *shared.read().unwrap() {
            1 => {}
            _ => *lock(&mutex) += 1,
        }
    });
}

/// A lock is taken in the scrutinee of a `match` and in one of its arms.
#[test]
fn intra() {
    let mutex = Mutex::new(1);
    thread::scope(|scope| {
        scope.spawn(|| *lock(&mutex) = 2);
        let value = MENDED.then(|| *lock(&mutex));
        match value {
            Some(1) => {}
            Some(_) => *lock(&mutex) += 1,
            None => match *lock(&mutex) {
                1 => {}
                _ => *lock(&mutex) += 1,
            },
        }
    });
}

/// A wrapper hides that a lock is read in the scrutinee and written in the arm.
#[test]
fn tikv_wrapper() {
    let inner = RwLock::new(0);
    let (read, write) = (|| inner.read().unwrap(), || inner.write().unwrap());
    thread::scope(|scope| {
        scope.spawn(|| *write() = 1);
        let value = read();
        if *value == 1 {
            if MENDED {
                drop(value);
            }
            *write() += 1;
        }
    });
}

/// Two closures take two locks in both orders.
#[test]
fn lock_closure() {
    let (first, second) = (Arc::new(Mutex::new(1)), Arc::new(Mutex::new(true)));
    let other = thread::spawn({
        let (first, second) = (first.clone(), second.clone());
        move || {
            let held = lock(&second);
            if MENDED {
                drop(held);
            }
            *lock(&first) += 1;
        }
    });
    {
        let _first = lock(&first);
        *lock(&second) = false;
    }
    other.join().unwrap();
}

/// What is written depends on what was read before.
#[test]
fn atomic_violation() {
    let value = AtomicI32::new(11);
    let step = || {
        let read = value.load(Relaxed);
        if MENDED {
            value.fetch_add(if read > 10 { 2 } else { -1 }, Relaxed);
        } else {
            value.store(if read > 10 { read + 2 } else { read - 1 }, Relaxed);
        }
    };
    thread::scope(|scope| {
        scope.spawn(step);
        step();
    });
    assert_eq!(value.into_inner(), 15);
}

/// A pointer outlives what it points to.
#[test]
fn escape_to_param() {
    let owned = Box::new(7);
    let pointer = AtomicPtr::new(&raw const *owned as *mut i32);
    thread::scope(|scope| {
        // SAFETY: None where it is dropped too early.
        let reader = scope.spawn(|| unsafe { *pointer.load(SeqCst) });
        if MENDED {
            assert_eq!(reader.join().unwrap(), 7);
        }
        drop(owned);
    });
}

mod negative {
    use super::*;

    /// One thread takes two locks in both orders, but the other one comes later.
    #[test]
    fn lock_closure_afterwards() {
        let (first, second) = (Mutex::new(1), Mutex::new(2));
        *lock(&second) += *lock(&first);
        thread::scope(|scope| {
            scope.spawn(|| *lock(&first) += *lock(&second));
        });
    }

    /// Guards are given to a function that ends with them.
    #[test]
    fn call() {
        let (first, second) = (Mutex::new(1), Mutex::new(1));
        let consume =
            |first: MutexGuard<i32>, second: MutexGuard<i32>| assert!(*first + *second > 0);
        let both = || {
            let (one, two) = (lock(&first), lock(&second));
            consume(one, two);
            drop(lock(&first));
        };
        thread::scope(|scope| {
            scope.spawn(both);
            both();
        });
    }

    /// A lock may be read again by who says so, though a writer waits.
    #[test]
    fn recursive() {
        let value = parking_lot::RwLock::new(1);
        thread::scope(|scope| {
            scope.spawn(|| *value.write() += 1);
            let first = value.read();
            assert_eq!(*value.read_recursive(), *first);
        });
    }

    /// A function that is called `wait` returns the guard.
    #[test]
    fn wait_lock() {
        fn wait<T>(guard: MutexGuard<T>) -> MutexGuard<T> {
            guard
        }
        let mutex = Mutex::new(0);
        thread::scope(|scope| {
            scope.spawn(|| *lock(&mutex) += 1);
            let mut guard = wait(lock(&mutex));
            *guard += 1;
        });
        assert_eq!(*lock(&mutex), 2);
    }

    /// A condition with its lock.
    #[test]
    fn condvar() {
        let (started, condition) = (Mutex::new(false), Condvar::new());
        thread::scope(|scope| {
            scope.spawn(|| drop(condition.wait_while(lock(&started), |it| !*it).unwrap()));
            *lock(&started) = true;
            condition.notify_one();
        });
    }

    /// What depends on what was read is written only if it is still so.
    #[test]
    fn compare_exchange() {
        let value = AtomicI32::new(11);
        let step = || {
            let read = value.load(Relaxed);
            let _ = value.compare_exchange(read, read + 2, Relaxed, Relaxed);
        };
        thread::scope(|scope| {
            scope.spawn(step);
            step();
        });
        assert!(value.into_inner() >= 13);
    }
}
