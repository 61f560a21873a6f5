//! loom `tests/atomic_relaxed.rs`. Its two tests that need stale reads are in the table.

use std::sync::Arc;

use contest::sync::atomic::{AtomicU32, Ordering};
use contest::thread;

use crate::runs::{join_all, outcomes, passes};

#[test]
fn a_loop_of_exchanges_loses_no_increment() {
    passes(|| {
        let count = Arc::new(AtomicU32::new(0));
        let threads = [(); 2].map(|()| {
            let count = Arc::clone(&count);
            thread::spawn(move || {
                let mut seen = count.load(Ordering::Relaxed);
                while let Err(now) =
                    count.compare_exchange(seen, seen + 1, Ordering::Relaxed, Ordering::Relaxed)
                {
                    seen = now;
                }
            })
        });
        join_all(threads);
        assert_eq!(count.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn what_was_stored_before_a_release_is_seen_after_the_acquire() {
    let seen = outcomes(|| {
        let pair = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
        let theirs = Arc::clone(&pair);
        thread::spawn(move || {
            theirs.0.store(1, Ordering::Relaxed);
            theirs.1.store(1, Ordering::Release);
        });
        let flag = pair.1.load(Ordering::Acquire);
        (flag, pair.0.load(Ordering::Relaxed))
    });
    assert_eq!(seen, [(0, 0), (0, 1), (1, 1)].into());
}
