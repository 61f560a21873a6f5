//! Without feature `explore`: the types are those of `std`, so there is nothing to control.

use super::{Builder, Report};

/// Runs the closure once, on real threads.
pub(super) fn run(_builder: &Builder, f: &dyn Fn()) -> Report {
    f();
    Report {
        executions: 1,
        runs: 1,
        traces: 1,
        cut: Some(
            "run once on real threads: `contest` was built without feature `explore`".to_owned(),
        ),
        ..Report::default()
    }
}

impl Report {
    /// There are no findings: what fails panics.
    pub fn assert_clean(&self) {}

    /// There is nothing to check.
    pub(super) fn check(&self, _must_exhaust: bool, _allow_no_decisions: bool) {}
}
