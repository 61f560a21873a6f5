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
fn a_thread_whose_panic_was_caught_does_not_panic_while_another_one_unwinds() {
    struct LetsOthersGoOn<'a>(&'a Mutex<()>);
    impl Drop for LetsOthersGoOn<'_> {
        fn drop(&mut self) {
            thread::yield_now();
            drop(self.0.lock());
        }
    }
    let seen = results(|| {
        let both = Mutex::new(());
        let own = Mutex::new(());
        let panics = thread::scope(|scope| {
            let caught = scope.spawn(|| {
                assert!(std::panic::catch_unwind(|| panic!("caught")).is_err());
                drop(own.lock());
                for _ in 0..2 {
                    drop(both.lock());
                }
                let _own = own.lock();
                thread::panicking()
            });
            let unwinds = scope.spawn(|| {
                let _lets = LetsOthersGoOn(&both);
                panic!("and lets the other one go on");
            });
            assert!(unwinds.join().is_err());
            caught.join().unwrap()
        });
        (panics, own.is_poisoned())
    });
    assert_eq!(seen, set([(false, false)]));
}

#[test]
fn a_panic_that_is_caught_while_another_thread_unwinds_is_over() {
    struct Locks<'a>(&'a Mutex<()>);
    impl Drop for Locks<'_> {
        fn drop(&mut self) {
            drop(self.0.lock());
        }
    }
    let seen = results(|| {
        let both = Mutex::new(());
        let own = Mutex::new(());
        let panics = thread::scope(|scope| {
            let catches = scope.spawn(|| {
                let _both = both.lock();
                thread::yield_now();
                // As crates under test name it.
                let caught = contest_std::panic::catch_unwind(|| panic!("caught"));
                assert!(caught.is_err());
                let _own = own.lock();
                thread::panicking()
            });
            let unwinds = scope.spawn(|| {
                let _locks = Locks(&both);
                panic!("and waits for the other one");
            });
            assert!(unwinds.join().is_err());
            catches.join().unwrap()
        });
        (panics, own.is_poisoned())
    });
    assert_eq!(seen, set([(false, false)]));
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
