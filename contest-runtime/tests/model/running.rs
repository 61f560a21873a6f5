//! What a builder does.

use std::any::Any;
use std::collections::BTreeSet;
use std::panic::catch_unwind;
use std::sync::Arc;

use contest::sync::atomic::{AtomicU32, Ordering::SeqCst};
use contest::sync::{Mutex, RwLock};
use contest::{Builder, FindingKind, thread};

pub(crate) fn text(payload: &(dyn Any + Send)) -> String {
    match payload.downcast_ref::<&str>() {
        Some(text) => (*text).to_owned(),
        None => payload.downcast_ref::<String>().unwrap().clone(),
    }
}

pub(crate) fn lost_update() {
    let count = Arc::new(AtomicU32::new(0));
    let theirs = Arc::clone(&count);
    let thread = thread::spawn(move || theirs.store(theirs.load(SeqCst) + 1, SeqCst));
    count.store(count.load(SeqCst) + 1, SeqCst);
    thread.join().unwrap();
    assert_eq!(count.load(SeqCst), 2, "an update was lost");
}

pub(crate) fn abba() {
    let locks = Arc::new((Mutex::new(()), Mutex::new(())));
    let theirs = Arc::clone(&locks);
    let thread = thread::spawn(move || {
        let _first = theirs.1.lock().unwrap();
        let _second = theirs.0.lock().unwrap();
    });
    {
        let _first = locks.0.lock().unwrap();
        let _second = locks.1.lock().unwrap();
    }
    thread.join().unwrap();
}

#[test]
#[should_panic(expected = "an update was lost")]
fn the_message_of_the_panic_stays_visible() {
    contest::model(lost_update);
}

#[test]
fn a_panic_is_a_finding_that_can_be_replayed() {
    let report = Builder::new().exhaustive().run(lost_update);
    let finding = &report.findings()[0];
    assert_eq!(finding.kind, FindingKind::Panic);
    let again = Builder::new().replay(&finding.schedule).run(lost_update);
    assert_eq!(again.findings()[0].message, finding.message);
    assert_eq!(again.executions(), 1);
}

#[test]
fn a_deadlock_is_a_finding() {
    let report = Builder::new().run(abba);
    assert_eq!(report.findings()[0].kind, FindingKind::Deadlock);
    assert_eq!(report.findings()[0].details.len(), 2);
}

#[test]
fn the_deadlock_in_the_documentation_of_rwlock_is_found_by_search_and_by_chance() {
    let model = || {
        let lock = Arc::new(RwLock::new(()));
        let theirs = Arc::clone(&lock);
        let writer = thread::spawn(move || drop(theirs.write().unwrap()));
        let first = lock.read().unwrap();
        let second = lock.read().unwrap();
        drop((first, second));
        writer.join().unwrap();
    };
    for builder in [
        Builder::new().exhaustive(),
        Builder::new().strategy("random"),
    ] {
        let report = builder.run(model);
        let finding = &report.findings()[0];
        assert_eq!(finding.kind, FindingKind::Deadlock, "{finding:?}");
        let details = finding.details.join("\n");
        assert!(
            details.contains("behind thread 1, which waits to write"),
            "{details}"
        );
    }
}

#[test]
fn a_reader_that_does_not_wait_gives_up_beside_a_writer_that_waits() {
    let seen = std::sync::Mutex::new(BTreeSet::new());
    let report = Builder::new().exhaustive().run(|| {
        let lock = Arc::new(RwLock::new(()));
        let theirs = Arc::clone(&lock);
        let writer = thread::spawn(move || drop(theirs.write().unwrap()));
        let first = lock.read();
        seen.lock().unwrap().insert(lock.try_read().is_ok());
        drop(first);
        writer.join().unwrap();
    });
    assert!(
        report.exhausted() && report.findings().is_empty(),
        "{report:?}"
    );
    assert_eq!(seen.into_inner().unwrap(), BTreeSet::from([false, true]));
}

#[test]
fn all_outcomes_are_seen_and_the_search_ends() {
    let seen = std::sync::Mutex::new(BTreeSet::new());
    let report = Builder::new().exhaustive().run(|| {
        let count = Arc::new(AtomicU32::new(0));
        let theirs = Arc::clone(&count);
        let thread = thread::spawn(move || theirs.store(1, SeqCst));
        seen.lock().unwrap().insert(count.load(SeqCst));
        thread.join().unwrap();
    });
    assert!(report.exhausted(), "{report:?}");
    assert_eq!(report.traces(), 2);
    assert!(report.decisions() > 0);
    assert_eq!(seen.into_inner().unwrap(), BTreeSet::from([0, 1]));
}

#[test]
fn an_unjoined_panic_is_a_finding_and_a_joined_one_is_not() {
    let unhandled = Builder::new().run(|| {
        thread::spawn(|| panic!("on its own"));
    });
    assert_eq!(unhandled.findings()[0].message, "on its own");
    let handled = Builder::new().run(|| {
        assert!(thread::spawn(|| panic!("expected")).join().is_err());
    });
    assert!(handled.findings().is_empty(), "{handled:?}");
}

#[test]
fn a_model_without_decisions_does_not_pass() {
    let refused = catch_unwind(|| contest::model(|| {}));
    let message = text(refused.unwrap_err().as_ref());
    assert!(message.contains("no scheduling decision"), "{message}");
    Builder::new().allow_no_decisions().check(|| {});
}

#[test]
fn an_exhaustive_search_that_was_cut_does_not_pass() {
    let refused = catch_unwind(|| {
        Builder::new().exhaustive().max_executions(1).check(|| {
            let count = Arc::new(AtomicU32::new(0));
            let theirs = Arc::clone(&count);
            let thread = thread::spawn(move || theirs.store(1, SeqCst));
            count.load(SeqCst);
            thread.join().unwrap();
        });
    });
    let message = text(refused.unwrap_err().as_ref());
    assert!(message.contains("not every interleaving"), "{message}");
}

pub(crate) fn passes() {
    let count = Arc::new(AtomicU32::new(0));
    let theirs = Arc::clone(&count);
    let thread = thread::spawn(move || theirs.fetch_add(1, SeqCst));
    count.fetch_add(1, SeqCst);
    thread.join().unwrap();
    assert_eq!(count.load(SeqCst), 2);
}
