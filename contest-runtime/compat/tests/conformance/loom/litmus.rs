//! loom `tests/litmus.rs`. Its tests ask for outcomes that sequential consistency forbids; these ask for all others,
//! and for no more.

use std::sync::Arc;

use contest::sync::atomic::AtomicU32;
use contest::sync::atomic::Ordering::Relaxed;
use contest::thread;

use crate::runs::outcomes;

fn two() -> (Arc<[AtomicU32; 2]>, Arc<[AtomicU32; 2]>) {
    let pair = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    (Arc::clone(&pair), pair)
}

#[test]
fn store_buffering_has_the_outcomes_of_sequential_consistency() {
    let seen = outcomes(|| {
        let (mine, theirs) = two();
        let thread = thread::spawn(move || {
            theirs[0].store(1, Relaxed);
            theirs[1].load(Relaxed)
        });
        mine[1].store(1, Relaxed);
        let seen = mine[0].load(Relaxed);
        (seen, thread.join().unwrap())
    });
    assert_eq!(seen, [(0, 1), (1, 0), (1, 1)].into());
}

#[test]
fn load_buffering_has_the_outcomes_of_sequential_consistency() {
    let seen = outcomes(|| {
        let (mine, theirs) = two();
        let thread = thread::spawn(move || theirs[0].store(theirs[1].load(Relaxed), Relaxed));
        let seen = mine[0].load(Relaxed);
        mine[1].store(1, Relaxed);
        thread.join().unwrap();
        (seen, mine[0].load(Relaxed))
    });
    assert_eq!(seen, [(0, 0), (0, 1)].into());
}
