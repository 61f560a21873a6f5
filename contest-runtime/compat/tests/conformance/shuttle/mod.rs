//! Behaviours of the tests of shuttle 0.9.3 (`shuttle/tests`), file by file.
//!
//! The tests of shuttle themselves run unchanged on the crate in `shims/shuttle`; `README.md` says with which result.

mod atomics;
mod barriers;
mod channels;
mod clocks;
mod condition_variables;
mod futures;
mod locks;
mod once;
mod random_numbers;
mod schedules;
mod strategies;
mod threads;
mod yielding;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use contest::{Builder, Finding};

/// What the model comes out with under all interleavings; it fails under none.
#[track_caller]
fn outcomes<T: Ord + Clone + Send + 'static>(model: impl Fn() -> T) -> BTreeSet<T> {
    let all = Arc::new(Mutex::new(BTreeSet::new()));
    let report = Builder::new().exhaustive().without_repetitions().run(|| {
        let outcome = model();
        all.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(outcome);
    });
    assert_eq!(report.findings(), []);
    assert!(report.exhausted(), "{:?}", report.cut());
    all.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The first failure of the model.
#[track_caller]
fn failure(model: impl Fn()) -> Finding {
    let report = Builder::new().exhaustive().run(model);
    report
        .findings()
        .first()
        .expect("some interleaving fails")
        .clone()
}
