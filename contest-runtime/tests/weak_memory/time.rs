//! What has been written before time passes is seen after that.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use contest::sync::atomic::AtomicU32;
use contest::thread::{sleep, spawn};
use contest::{Builder, MemoryModel};

const HOUR: Duration = Duration::from_secs(3600);

/// Reads of a thread that sleeps for so long before each of them, beside two writes of another one.
fn reads(sleeps: Duration) -> Vec<(u32, u32)> {
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen_inside = Arc::clone(&seen);
    let builder = Builder::new().memory_model(MemoryModel::Rc11);
    let report = builder.strategy("random").max_executions(300).run(move || {
        let value = Arc::new(AtomicU32::new(0));
        let theirs = Arc::clone(&value);
        let thread = spawn(move || {
            theirs.store(1, Relaxed);
            if !sleeps.is_zero() {
                sleep(sleeps);
            }
            theirs.store(2, Relaxed);
        });
        let read = || {
            if !sleeps.is_zero() {
                sleep(sleeps * 2 / 3);
            }
            value.load(Relaxed)
        };
        let both = (read(), read());
        thread.join().unwrap();
        seen_inside.lock().unwrap().push(both);
    });
    assert!(report.findings().is_empty(), "{:?}", report.findings());
    let seen = seen.lock().unwrap();
    seen.clone()
}

#[test]
fn a_thread_that_has_slept_sees_what_was_written_before() {
    assert!(reads(Duration::ZERO).contains(&(0, 0)));
    let after_sleeps = reads(HOUR);
    assert!(
        after_sleeps.iter().all(|both| *both == (1, 2)),
        "{after_sleeps:?}"
    );
}
