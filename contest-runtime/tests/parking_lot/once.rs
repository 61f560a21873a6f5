//! `Once`.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use contest::parking_lot::{Once, OnceState};
use contest::sync::Arc;
use contest::sync::atomic::{AtomicU32, Ordering::SeqCst};
use contest::thread;

use super::everywhere;

#[test]
fn racing_threads_run_one_closure_and_wait_for_it() {
    everywhere(|| {
        let all = Arc::new((Once::new(), AtomicU32::new(0)));
        let run = |all: &(Once, AtomicU32)| {
            all.0.call_once(|| {
                all.1.fetch_add(1, SeqCst);
            });
            assert_eq!(all.1.load(SeqCst), 1);
            assert_eq!(all.0.state(), OnceState::Done);
        };
        let theirs = Arc::clone(&all);
        let thread = thread::spawn(move || run(&theirs));
        run(&all);
        thread.join().unwrap();
    });
}

#[test]
fn the_state_is_reported() {
    everywhere(|| {
        let once = Once::new();
        assert_eq!(once.state(), OnceState::New);
        once.call_once(|| assert_eq!(once.state(), OnceState::InProgress));
        assert!(once.state().done());
    });
}

#[test]
fn a_panic_poisons_and_force_mends() {
    everywhere(|| {
        let once = Once::new();
        let failed = catch_unwind(AssertUnwindSafe(|| {
            once.call_once(|| resume_unwind(Box::new("on purpose")));
        }));
        assert!(failed.is_err());
        assert!(once.state().poisoned());
        let again = catch_unwind(AssertUnwindSafe(|| once.call_once(|| ())));
        assert!(again.is_err());
        assert!(once.state().poisoned());
        once.call_once_force(|state| assert!(state.poisoned()));
        assert_eq!(once.state(), OnceState::Done);
        once.call_once(|| unreachable!());
    });
}
