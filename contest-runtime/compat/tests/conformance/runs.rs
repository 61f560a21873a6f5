//! How the tests run their programs: as models, exhaustively where that is possible, and outside of any.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use contest::{Builder, FindingKind, MemoryModel, Report};

/// Executions that an exhaustive run may take before it is sampled instead.
const EXHAUSTIVE: u64 = 2_000;
/// Executions of a sampled run.
const SAMPLED: u64 = 100;

fn assert_clean(report: &Report) {
    if let Some(finding) = report.findings().first() {
        panic!(
            "{}: {} {:?} {:?}",
            finding.kind, finding.message, finding.details, finding.locations
        );
    }
}

/// Every interleaving of the model is right.
#[track_caller]
pub(crate) fn passes(model: impl Fn()) -> Report {
    let report = Builder::new().exhaustive().allow_no_decisions().run(model);
    assert_clean(&report);
    assert!(report.exhausted(), "cut: {:?}", report.cut());
    report
}

/// Some interleaving of the model fails; how, and what is said of it.
#[track_caller]
pub(crate) fn fails(model: impl Fn()) -> (FindingKind, String) {
    let report = Builder::new().exhaustive().run(model);
    let finding = report.findings().first().expect("no interleaving fails");
    (finding.kind, finding.message.clone())
}

/// What the model returns, over all its interleavings.
#[track_caller]
pub(crate) fn outcomes<T: Ord>(model: impl Fn() -> T) -> BTreeSet<T> {
    let all = Mutex::new(BTreeSet::new());
    passes(|| {
        let outcome = model();
        all.lock().unwrap().insert(outcome);
    });
    all.into_inner().unwrap()
}

/// As [`outcomes`], under RC11.
#[track_caller]
pub(crate) fn outcomes_under_rc11<T: Ord>(model: impl Fn() -> T) -> BTreeSet<T> {
    let all = Mutex::new(BTreeSet::new());
    let builder = Builder::new().memory_model(MemoryModel::Rc11).exhaustive();
    let report = builder.run(|| {
        let outcome = model();
        all.lock().unwrap().insert(outcome);
    });
    assert_clean(&report);
    assert!(report.exhausted(), "cut: {:?}", report.cut());
    all.into_inner().unwrap()
}

/// The program is right outside of executions, with real threads, and inside: under all interleavings if they are few,
/// else under some.
#[track_caller]
pub(crate) fn inside_and_outside(program: impl Fn()) {
    program();
    let report = Builder::new()
        .strategy("dpor")
        .max_executions(EXHAUSTIVE)
        .allow_no_decisions()
        .run(&program);
    assert_clean(&report);
    if !report.exhausted() {
        let sampled = Builder::new()
            .strategy("random")
            .max_executions(SAMPLED)
            .run(&program);
        assert_clean(&sampled);
    }
}

/// Shared by threads although it is not `Sync`: what the tests want to be found.
pub(crate) struct Shared<T>(T);

// SAFETY: the threads of a model run on one thread of the operating system; the races are those of the model.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: all access is from one thread of the operating system; data races are the model's, which the tests look for.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Arc<Self> {
        Arc::new(Self(value))
    }

    pub(crate) fn plain(value: T) -> Self {
        Self(value)
    }

    pub(crate) fn get(&self) -> &T {
        &self.0
    }
}

/// Adds one to `cell` and returns what it was.
#[track_caller]
pub(crate) fn increment(cell: &contest::cell::UnsafeCell<u32>) -> u32 {
    cell.with_mut(|value| {
        // SAFETY: used only here, and threads of a model do not run in parallel.
        unsafe {
            let before = *value;
            *value = before + 1;
            before
        }
    })
}

/// Reads `cell`.
#[track_caller]
pub(crate) fn read(cell: &contest::cell::UnsafeCell<u32>) -> u32 {
    // SAFETY: as in `increment`.
    cell.with(|value| unsafe { *value })
}

/// Joins all threads, none of which has panicked.
#[track_caller]
pub(crate) fn join_all(threads: impl IntoIterator<Item = contest::thread::JoinHandle<()>>) {
    for thread in threads {
        thread.join().unwrap();
    }
}
