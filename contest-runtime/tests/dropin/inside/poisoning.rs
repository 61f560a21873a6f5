//! Panics of one virtual thread are its own.

use contest::sync::{Mutex, PoisonError, RwLock};
use contest::thread;

use super::{results, set};

#[test]
fn a_thread_that_panics_poisons_what_it_holds_and_nothing_else() {
    let seen = results(|| {
        let held = Mutex::new(());
        let other = Mutex::new(());
        thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let _guard = held.lock().unwrap();
                panic!("poison");
            });
            let goes_on = scope.spawn(|| {
                for _ in 0..2 {
                    drop(other.lock());
                }
                thread::panicking()
            });
            assert!(panics.join().is_err());
            assert!(!goes_on.join().unwrap());
        });
        (held.is_poisoned(), other.is_poisoned())
    });
    assert_eq!(seen, set([(true, false)]));
}

#[test]
fn a_thread_blocked_while_it_unwinds_poisons_nothing_of_others() {
    struct LocksInDrop<'a>(&'a Mutex<u8>);
    impl Drop for LocksInDrop<'_> {
        fn drop(&mut self) {
            assert!(thread::panicking());
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        }
    }
    let seen = results(|| {
        let wanted = Mutex::new(0);
        let other = RwLock::new(());
        thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let _locks = LocksInDrop(&wanted);
                panic!("and then waits");
            });
            let holds = scope.spawn(|| {
                let _other = other.write().unwrap();
                let _wanted = wanted.lock().unwrap();
                thread::yield_now();
                thread::panicking()
            });
            assert!(panics.join().is_err());
            assert!(!holds.join().unwrap());
        });
        (
            wanted.is_poisoned(),
            other.is_poisoned(),
            wanted.into_inner().unwrap(),
        )
    });
    assert_eq!(seen, set([(false, false, 1)]));
}

#[test]
fn a_waiting_thread_gets_the_poisoned_lock() {
    let seen = results(|| {
        let lock = RwLock::new(1);
        thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let mut guard = lock.write().unwrap();
                *guard = 2;
                panic!("poison");
            });
            let reads = scope.spawn(|| match lock.read() {
                Ok(value) => (false, *value),
                Err(error) => (true, **error.get_ref()),
            });
            assert!(panics.join().is_err());
            reads.join().unwrap()
        })
    });
    assert_eq!(seen, set([(false, 1), (true, 2)]));
}
