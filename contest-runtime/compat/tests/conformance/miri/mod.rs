//! Tests of Miri with GenMC (`tests/genmc` of Miri), written anew as models with real pointers, locks and thread-locals
//! under RC11. Numbers of executions are those that the expected output there gives.

mod atomics;
mod faults;
mod structures;
mod waiting;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use contest::{Builder, FindingKind, MemoryModel, Report};

/// Set where an assumption fails.
type Failed = Arc<AtomicBool>;

/// What holds in every execution that counts as complete; a thread ends if not.
fn assume(holds: bool, failed: &Failed) -> Option<()> {
    if !holds {
        failed.store(true, Ordering::Relaxed);
    }
    holds.then_some(())
}

#[track_caller]
fn explored(model: impl Fn()) -> Report {
    let builder = Builder::new().memory_model(MemoryModel::Rc11).exhaustive();
    let builder = builder.allow_no_decisions().without_repetitions();
    // A deadlock is an execution there.
    let report = builder.tolerate(FindingKind::Deadlock).run(model);
    report.assert_clean();
    assert!(report.exhausted(), "cut: {:?}", report.cut());
    report
}

/// Number of complete executions, and of those in which an assumption failed.
#[track_caller]
fn executions(model: impl Fn(&Failed)) -> (u64, u64) {
    let ended = Mutex::new(Vec::new());
    let report = explored(|| {
        let failed = Failed::default();
        model(&failed);
        let mut ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.push(failed.load(Ordering::Relaxed));
    });
    let ended = ended.into_inner().unwrap();
    // Where a loop that waits was found, the exploration began anew.
    let counted = &ended[ended.len() - report.traces() as usize..];
    let failed = counted.iter().filter(|failed| **failed).count() as u64;
    (report.traces() - failed, failed)
}

/// What goes wrong in some execution under RC11.
#[track_caller]
fn fault(model: impl Fn()) -> FindingKind {
    let builder = Builder::new().memory_model(MemoryModel::Rc11).exhaustive();
    let report = builder.run(model);
    report.findings().first().expect("nothing fails").kind
}
