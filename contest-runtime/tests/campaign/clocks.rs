//! Code that waits for the clock without giving way to anyone.

use std::time::Duration;

use contest::sync::atomic::{AtomicU32, Ordering::SeqCst};
use contest::time::Instant;
use contest_data::finding::FindingKind;
use contest_data::subject::Subject;

use crate::subjects::{new, object, operation};
use crate::support::{campaign, settings};

/// A counter that measures its clock before it counts, as crates do that read a counter of the processor.
#[derive(Default)]
struct Measured(AtomicU32);

impl Measured {
    fn count(&self) -> u32 {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(20) {}
        let before = self.0.load(SeqCst);
        self.0.store(before + 1, SeqCst);
        before
    }
}

static MEASURED: [Subject; 1] = [Subject {
    name: "Measured",
    path: "Measured",
    constructors: &[new::<Measured>("Measured::default()")],
    operations: &[operation("count", "{s}.count()", &[], |call| {
        contest::observe!(object::<Measured>(call).count())
    })],
    state: None,
}];

/// What depends on the clock is tried with clocks that stand still, too.
#[test]
fn a_loop_that_waits_for_a_clock_that_stands_still_ends() {
    let heard = campaign(&MEASURED, &settings(1_000));
    let kinds: Vec<FindingKind> = heard.findings.iter().map(|it| it.kind).collect();
    assert!(kinds.contains(&FindingKind::NonLinearizable), "{kinds:?}");
}
