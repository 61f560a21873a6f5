//! loom `tests/spec.rs`: the examples of the C++ reference.

use std::sync::Arc;

use contest::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use contest::thread;

use crate::runs::{join_all, outcomes, outcomes_under_rc11};

/// Two threads store a flag each, two others wait for one and look at the other; how many of these saw it.
fn independent_reads(store: Ordering, load: Ordering) -> u32 {
    let shared = Arc::new((
        [AtomicBool::new(false), AtomicBool::new(false)],
        AtomicU32::new(0),
    ));
    let theirs = Arc::clone(&shared);
    thread::spawn(move || theirs.0[1].store(true, store));
    let readers = [(0, 1), (1, 0)].map(|(waits_for, looks_at)| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            while !shared.0[waits_for].load(load) {
                thread::yield_now();
            }
            if shared.0[looks_at].load(load) {
                shared.1.fetch_add(1, Ordering::Relaxed);
            }
        })
    });
    shared.0[0].store(true, store);
    join_all(readers);
    shared.1.load(Ordering::SeqCst)
}

#[test]
fn independent_reads_of_sequentially_consistent_stores_agree_on_their_order() {
    let model = || independent_reads(Ordering::SeqCst, Ordering::SeqCst);
    assert_eq!(outcomes(model), [1, 2].into());
    assert_eq!(outcomes_under_rc11(model), [1, 2].into());
}

#[test]
fn independent_reads_of_released_stores_need_not_agree() {
    let seen = outcomes_under_rc11(|| independent_reads(Ordering::Release, Ordering::Acquire));
    assert_eq!(seen, [0, 1, 2].into());
}

#[test]
fn no_value_comes_out_of_nothing() {
    let seen = outcomes_under_rc11(|| {
        let shared = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
        let theirs = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            let seen = theirs.0.load(Ordering::Relaxed);
            theirs.1.store(42, Ordering::Relaxed);
            seen
        });
        let seen = shared.1.load(Ordering::Relaxed);
        shared.0.store(seen, Ordering::Relaxed);
        (seen, thread.join().unwrap())
    });
    assert_eq!(seen, [(0, 0), (42, 0)].into());
}
