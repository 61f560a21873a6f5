//! loom `tests/spec.rs`: the examples of the C++ reference. Those that need weak memory are in the table.

use std::sync::Arc;

use contest::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use contest::thread;

use crate::runs::{join_all, outcomes};

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
    let seen = outcomes(|| independent_reads(Ordering::SeqCst, Ordering::SeqCst));
    assert_eq!(seen, [1, 2].into());
}
