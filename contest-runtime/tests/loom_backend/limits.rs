//! What the backend says of itself.

use std::panic::{AssertUnwindSafe, catch_unwind};

use contest::sync::atomic::AtomicUsize;
use contest::sync::atomic::Ordering::{Relaxed, SeqCst};
use contest::sync::{Arc, Condvar, Mutex};
use contest::{Builder, FindingKind, thread};

use super::found;

fn counting() {
    let count = Arc::new(AtomicUsize::new(0));
    let theirs = Arc::clone(&count);
    let thread = thread::spawn(move || theirs.fetch_add(1, Relaxed));
    count.fetch_add(1, Relaxed);
    thread.join().unwrap();
    assert_eq!(count.load(Relaxed), 2);
}

fn text(model: fn()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(|| contest::model(model))).unwrap_err();
    payload.downcast_ref::<String>().unwrap().clone()
}

#[test]
fn a_failure_names_the_limits_and_offers_no_schedule() {
    let text = text(|| {
        counting();
        panic!("on purpose");
    });
    assert!(
        text.starts_with("contest found a panic: on purpose"),
        "{text}"
    );
    assert!(text.contains("tests/loom_backend/limits.rs"), "{text}");
    assert!(
        text.contains("AtomicUsize#1.load(Relaxed) -> 2") && !text.contains("no thread stopped"),
        "{text}"
    );
    for limit in ["at most 5 threads", "SeqCst", "scoped threads", "channels"] {
        assert!(text.contains(limit), "{limit}\n{text}");
    }
    assert!(!text.contains("CONTEST_REPLAY"), "{text}");
}

#[test]
fn without_a_bound_of_ones_own_preemptions_are_bounded_and_nothing_is_called_exhausted() {
    let report = Builder::new().run(counting);
    assert!(!report.exhausted());
    assert!(report.cut().unwrap().contains("3 preemptions"));
    assert_eq!(report.limits().len(), contest_loom::LIMITS.len());
    assert!(Builder::new().exhaustive().run(counting).exhausted());
    assert!(Builder::new().preemption_bound(1).run(counting).exhausted());
}

#[test]
fn bounds_are_kept_and_reported() {
    let report = Builder::new().max_executions(1).run(counting);
    assert_eq!(report.executions(), 1);
    assert!(report.cut().unwrap().contains("number of executions"));
    let report = Builder::new().strategy("pct").run(counting);
    assert!(
        report
            .limits()
            .iter()
            .any(|it| it.contains("`pct` is not loom's"))
    );
}

#[test]
fn a_deadlock_is_a_deadlock() {
    let finding = found(|| {
        let pair = Arc::new((Mutex::new(()), Mutex::new(())));
        let theirs = Arc::clone(&pair);
        let thread = thread::spawn(move || {
            let _second = theirs.1.lock();
            let _first = theirs.0.lock();
        });
        let first = pair.0.lock();
        let second = pair.1.lock();
        drop((first, second));
        thread.join().unwrap();
    });
    assert_eq!(finding.kind, FindingKind::Deadlock);
    let lost = found(|| {
        let pair = Arc::new((Mutex::new(()), Condvar::new()));
        let theirs = Arc::clone(&pair);
        let thread = thread::spawn(move || theirs.1.notify_one());
        drop(pair.1.wait(pair.0.lock().unwrap()));
        thread.join().unwrap();
    });
    assert_eq!(lost.kind, FindingKind::Deadlock);
}

#[test]
fn an_arc_that_is_forgotten_is_a_leak() {
    let finding = found(|| {
        counting();
        std::mem::forget(Arc::new(1));
    });
    assert_eq!(finding.kind, FindingKind::Leak);
}

#[test]
fn a_sixth_thread_is_a_limit() {
    let finding = found(|| {
        let threads: Vec<_> = (0..5).map(|_| thread::spawn(|| ())).collect();
        for thread in threads {
            thread.join().unwrap();
        }
    });
    assert_eq!(finding.kind, FindingKind::Limit, "{finding:?}");
}

#[test]
fn sequentially_consistent_loads_and_stores_are_weaker_than_they_are() {
    // Store buffering: with SeqCst at least one of the two sees the other's store. This is the false alarm that the
    // limits tell of.
    let finding = found(|| {
        let pair = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let theirs = Arc::clone(&pair);
        let thread = thread::spawn(move || {
            theirs.0.store(1, SeqCst);
            theirs.1.load(SeqCst)
        });
        pair.1.store(1, SeqCst);
        let mine = pair.0.load(SeqCst);
        assert!(mine + thread.join().unwrap() > 0);
    });
    assert_eq!(finding.kind, FindingKind::Panic);
}
