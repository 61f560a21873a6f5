//! What shuttle's `tests/basic/thread.rs`, `tests/basic/pct.rs` and `tests/future/basic.rs` hold `yield_now` to: it
//! gives way, and it hides no interleaving.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex as StdMutex};

use contest::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use contest::{Builder, thread};

#[test]
fn what_comes_after_a_yield_may_come_early() {
    let seen = Arc::new(StdMutex::new(BTreeSet::new()));
    let all = Arc::clone(&seen);
    let report = Builder::new().exhaustive().run(move || {
        let (flag, value) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicU32::new(0)),
        );
        let theirs = Arc::clone(&value);
        let writer = thread::spawn(move || {
            assert!(!flag.load(SeqCst));
            thread::yield_now();
            theirs.store(1, SeqCst);
        });
        let value = value.load(SeqCst);
        seen.lock().unwrap().insert(value);
        writer.join().unwrap();
    });
    assert!(report.exhausted());
    assert_eq!(*all.lock().unwrap(), BTreeSet::from([0, 1]));
}

#[test]
fn a_loop_that_yields_until_a_flag_is_set_ends_under_every_strategy() {
    for strategy in ["dpor", "dfs", "random", "pct", "pos", "urw", "surw"] {
        let builder = Builder::new().strategy(strategy).max_executions(200);
        let report = builder.max_steps(200).run(|| {
            let flag = Arc::new(AtomicBool::new(false));
            let theirs = Arc::clone(&flag);
            let setter = thread::spawn(move || theirs.store(true, SeqCst));
            while !flag.load(SeqCst) {
                thread::yield_now();
            }
            setter.join().unwrap();
        });
        assert_eq!(report.findings(), [], "{strategy}");
    }
}
