//! loom `tests/yield.rs`.

use std::sync::Arc;

use contest::sync::atomic::{AtomicBool, Ordering};
use contest::thread;

use crate::runs::passes;

#[test]
fn a_loop_that_gives_way_ends_when_what_it_waits_for_is_stored() {
    let report = passes(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&flag);
        thread::spawn(move || theirs.store(true, Ordering::Relaxed));
        while !flag.load(Ordering::Relaxed) {
            thread::yield_now();
        }
    });
    assert!(report.executions() < 10, "{}", report.executions());
}
