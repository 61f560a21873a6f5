//! loom `tests/atomic_relaxed.rs`.

use std::sync::Arc;

use contest::sync::atomic::{AtomicU32, Ordering};
use contest::thread;

use crate::runs::{join_all, outcomes, outcomes_under_rc11, passes};

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

/// The flag and the message, as the main thread finds them.
fn announced(store: Ordering, load: Ordering) -> impl Fn() -> (u32, u32) {
    move || {
        let pair = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
        let theirs = Arc::clone(&pair);
        thread::spawn(move || {
            theirs.0.store(1, Ordering::Relaxed);
            theirs.1.store(1, store);
        });
        let flag = pair.1.load(load);
        (flag, pair.0.load(Ordering::Relaxed))
    }
}

#[test]
fn what_was_stored_before_a_release_is_seen_after_the_acquire() {
    let model = || announced(Ordering::Release, Ordering::Acquire);
    let expected = [(0, 0), (0, 1), (1, 1)];
    assert_eq!(outcomes(model()), expected.into());
    assert_eq!(outcomes_under_rc11(model()), expected.into());
}

#[test]
fn with_a_relaxed_store_or_load_the_message_may_be_missing() {
    for (store, load) in [
        (Ordering::Release, Ordering::Relaxed),
        (Ordering::Relaxed, Ordering::Acquire),
        (Ordering::Relaxed, Ordering::Relaxed),
    ] {
        let seen = outcomes_under_rc11(announced(store, load));
        assert!(seen.contains(&(1, 0)), "{store:?} {load:?}");
    }
}
