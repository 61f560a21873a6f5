//! Panics of one virtual thread are its own.

use contest::sync::{Mutex, RwLock};
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
