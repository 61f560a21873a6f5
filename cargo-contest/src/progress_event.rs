//! What stages tell the reporter while they work. One enum; reporters only consume it.

use contest_data::finding::Finding;
use contest_data::totals::{Alone, Progress};

use crate::skipped::Skipped;

/// Something happened.
#[derive(Clone, Debug, PartialEq)]
pub enum ProgressEvent {
    /// A step that takes long begins: `building the driver of dashmap 6.1.0`.
    Step(String),
    /// How far that step is: `142/160 crates`.
    StepProgress(String),
    /// A type and what is known of it, before it is explored.
    Subject {
        /// With type arguments.
        name: String,
        /// Operations that can be called.
        operations: usize,
        /// Methods and constructors left out.
        left_out: Vec<Skipped>,
    },
    /// Where the exploration stands.
    Exploring(Progress),
    /// A driver process died and another goes on: why, in words.
    DriverDied(String),
    /// A bug. `emitted` is the path of its test file, if one was written.
    Finding {
        /// The bug.
        finding: Box<Finding>,
        /// Path of the emitted test.
        emitted: Option<String>,
    },
    /// Something that fails without any concurrency.
    Alone(Alone),
    /// Something a user ought to know and can do something about.
    Warning(String),
}
