//! `basic/once.rs` and `basic/lazy_static.rs`: one initialiser runs, the others wait, and every execution begins anew.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use contest::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use contest::sync::{Mutex, Once};
use contest::thread;

use super::outcomes;

#[test]
fn either_thread_may_initialise_and_the_other_sees_what_it_did() {
    let winners = outcomes(|| {
        let shared = Arc::new((Once::new(), AtomicUsize::new(0)));
        let initialise = |shared: &(Once, AtomicUsize), number| {
            shared.0.call_once(|| {
                let before = shared.1.fetch_add(number, SeqCst);
                assert_eq!(before, 0);
            });
            assert!(shared.0.is_completed());
            shared.1.load(SeqCst)
        };
        let theirs = Arc::clone(&shared);
        let thread = thread::spawn(move || initialise(&theirs, 1));
        let seen = initialise(&shared, 2);
        assert_eq!(thread.join().unwrap(), seen);
        seen
    });
    assert_eq!(winners, BTreeSet::from([1, 2]));
}

#[test]
fn a_panic_poisons_a_once_until_it_is_forced() {
    outcomes(|| {
        let once = Arc::new(Once::new());
        let theirs = Arc::clone(&once);
        let fails = move || theirs.call_once(|| panic!("fails"));
        let thread = thread::spawn(move || catch_unwind(AssertUnwindSafe(fails)));
        assert!(thread.join().unwrap().is_err());
        assert!(!once.is_completed());
        assert!(catch_unwind(AssertUnwindSafe(|| once.call_once(|| {}))).is_err());
        once.call_once_force(|state| assert!(state.is_poisoned()));
        once.call_once(|| unreachable!());
    });
}

contest::lazy_static! {
    static ref FRESH: Mutex<Vec<usize>> = Mutex::new(Vec::new());
}

#[test]
fn a_lazy_static_is_made_once_in_each_execution() {
    let lengths = outcomes(|| {
        let thread = thread::spawn(|| FRESH.lock().unwrap().push(1));
        FRESH.lock().unwrap().push(2);
        thread.join().unwrap();
        FRESH.lock().unwrap().clone()
    });
    assert_eq!(lengths, BTreeSet::from([vec![1, 2], vec![2, 1]]));
}
