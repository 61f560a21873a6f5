//! Behaviours that parking_lot documents, with real threads and, with feature `explore`, under every interleaving.

// With loom, this crate's engine and its types are not there.
#![cfg(not(feature = "loom"))]

mod condvar;
mod core;
mod mutex;
mod once;
#[path = "../../std/src/parking_lot_core/mod.rs"]
#[allow(dead_code, unreachable_pub, reason = "a crate of its own elsewhere")]
mod parking_lot_core;
mod reentrant;
mod rwlock;
mod upgrading;

use std::collections::BTreeSet;
use std::sync::Mutex;

/// Runs a program with real threads, and as a model to exhaustion.
#[track_caller]
fn everywhere(program: fn()) {
    program();
    #[cfg(feature = "explore")]
    {
        let report = contest::Builder::new()
            .exhaustive()
            .allow_no_decisions()
            .run(program);
        assert_eq!(report.findings(), [], "as a model");
        assert!(report.exhausted(), "{:?}", report.cut());
    }
}

/// Everything that a program returns under all interleavings; with real threads, some of it.
#[track_caller]
fn outcomes<T: Ord + Send + 'static>(program: fn() -> T) -> BTreeSet<T> {
    let seen = std::sync::Arc::new(Mutex::new(BTreeSet::new()));
    let note = std::sync::Arc::clone(&seen);
    let run = move || {
        let outcome = program();
        note.lock().unwrap().insert(outcome);
    };
    if cfg!(feature = "explore") {
        let report = contest::Builder::new().exhaustive().run(run);
        assert_eq!(report.findings(), []);
        #[cfg(feature = "explore")]
        assert!(report.exhausted(), "{:?}", report.cut());
    } else {
        run();
    }
    std::mem::take(&mut *seen.lock().unwrap())
}

/// All of `expected`, no more; with real threads, no more.
#[track_caller]
fn assert_outcomes<T: Ord + Send + std::fmt::Debug + 'static>(program: fn() -> T, expected: &[T]) {
    let seen = outcomes(program);
    for outcome in &seen {
        assert!(expected.contains(outcome), "{outcome:?} cannot be");
    }
    if cfg!(feature = "explore") {
        assert_eq!(seen.len(), expected.len(), "only {seen:?}");
    }
}

/// The kind of the finding of a program that must fail.
#[cfg(feature = "explore")]
#[track_caller]
fn finding(program: fn()) -> contest::FindingKind {
    let report = contest::Builder::new().exhaustive().run(program);
    report.findings().first().expect("nothing was found").kind
}
