//! loom `tests/litmus.rs`. Its tests ask for outcomes that sequential consistency forbids.

use std::sync::Arc;

use contest::sync::atomic::AtomicU32;
use contest::sync::atomic::Ordering::Relaxed;
use contest::thread;

use crate::runs::{outcomes, outcomes_under_rc11};

fn two() -> (Arc<[AtomicU32; 2]>, Arc<[AtomicU32; 2]>) {
    let pair = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    (Arc::clone(&pair), pair)
}

fn store_buffering() -> (u32, u32) {
    let (mine, theirs) = two();
    let thread = thread::spawn(move || {
        theirs[0].store(1, Relaxed);
        theirs[1].load(Relaxed)
    });
    mine[1].store(1, Relaxed);
    let seen = mine[0].load(Relaxed);
    (seen, thread.join().unwrap())
}

#[test]
fn both_loads_see_the_old_value_under_rc11_only() {
    let strong = [(0, 1), (1, 0), (1, 1)];
    assert_eq!(outcomes(store_buffering), strong.into());
    let weak = [(0, 0), (0, 1), (1, 0), (1, 1)];
    assert_eq!(outcomes_under_rc11(store_buffering), weak.into());
}

fn load_buffering() -> (u32, u32) {
    let (mine, theirs) = two();
    let thread = thread::spawn(move || theirs[0].store(theirs[1].load(Relaxed), Relaxed));
    let seen = mine[0].load(Relaxed);
    mine[1].store(1, Relaxed);
    thread.join().unwrap();
    (seen, mine[0].load(Relaxed))
}

#[test]
fn no_load_sees_what_its_thread_stores_later() {
    assert_eq!(outcomes(load_buffering), [(0, 0), (0, 1)].into());
    assert_eq!(outcomes_under_rc11(load_buffering), [(0, 0), (0, 1)].into());
}
