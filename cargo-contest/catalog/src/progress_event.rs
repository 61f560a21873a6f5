//! What stages report while they work. One enum; reporters only consume it.

use std::time::Duration;

use contest_data::finding::Finding;
use contest_data::ladder::Rung;
use contest_data::totals::{Alone, Progress};

use crate::growth::Left;
use crate::run_budget::RunBudget;
use crate::skipped::Skipped;

/// Something happened.
#[derive(Clone, Debug, PartialEq)]
pub enum ProgressEvent {
    /// A slow step begins: `building the driver of dashmap 6.1.0`.
    Step(String),
    /// Progress of that step: `142/160 crates`.
    StepProgress(String),
    /// A type, before it is explored.
    Subject {
        /// With type arguments.
        name: String,
        /// Operations that can be called.
        operations: usize,
        /// Methods and constructors left out.
        left_out: Vec<Skipped>,
    },
    /// An exploration begins.
    Ahead {
        /// What it may cost.
        budget: RunBudget,
        /// The smallest shapes of tests: the shape, how many there are, whether that is exact.
        shapes: Vec<(Rung, u64, bool)>,
    },
    /// Progress of the exploration.
    Exploring {
        /// Where it stands.
        progress: Progress,
        /// Its time so far.
        elapsed: Duration,
        /// What is left of the smallest shape that is not done.
        left: Option<Left>,
    },
    /// A driver process died and another one continues: the reason.
    DriverDied(String),
    /// A bug. `emitted` is the path of its test file, if one was written.
    Finding {
        /// The bug.
        finding: Box<Finding>,
        /// Path of the emitted test.
        emitted: Option<String>,
        /// That and since when it is known, if it is.
        known: Option<String>,
    },
    /// A failure that needs no concurrency.
    Alone(Alone),
    /// Something the user should know and can act on.
    Warning(String),
}
