//! Models under loom: the same text as for this crate's engine, with loom's types below.

mod annotated;
mod channels;
mod limits;
mod made_once;
mod orderings;
mod thread_locals;

use contest::{Builder, Finding, Report};

/// What is found in a model that must fail.
#[track_caller]
fn found(model: impl Fn()) -> Finding {
    let report = Builder::new().run(model);
    report
        .findings()
        .first()
        .expect("nothing was found")
        .clone()
}

/// A model of which every execution is right.
#[track_caller]
fn clean(model: impl Fn()) -> Report {
    let report = Builder::new().exhaustive().run(model);
    assert_eq!(report.findings(), []);
    assert!(report.exhausted(), "{:?}", report.cut());
    assert!(report.executions() > 1);
    report
}
