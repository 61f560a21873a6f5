//! What a campaign keeps in a directory between runs: which tests have begun, what was found, what the next run need
//! not do again.
//!
//! `state.json` says how far the exploration of each type has come, `findings/` has a file for each finding. A file is
//! written beside its place and renamed, so that a reader sees all of it or the version before. A finding is on the
//! disk before the tests after it count as begun, so a run that is killed loses none. What began after the last report
//! of a killed run is in the black box of its driver, if that is still there.
//!
//! Progress is kept for each type under a hash of its code (`Analysis::code_of`): where that differs, the type is
//! explored from its first test on, before the others.
#![cfg_attr(doc, doc = include_str!("DESIGN.md"))]

mod directory;
mod error;
mod kept;
mod killed_run;
mod known;
mod lane_progress;
mod plan;
mod recorder;
mod streams;

pub use directory::State;
pub use error::StateError;
pub use known::{KnownFinding, Standing};
pub use plan::{Plan, Selected};
pub use recorder::Recorder;
