//! Tests that a crate already has: each is run under one interleaving after another.
//!
//! In: functions with their names, as the test executable lists them. Out: for each what came of it, and findings. A
//! test has no serial orders to be compared with. What shows undefined behaviour is a finding; a panic, a deadlock or
//! an end of the process is one if other executions of the same test pass, else the test fails as it would without
//! this tool.
#![cfg_attr(doc, doc = include_str!("DESIGN.md"))]

mod alone;
mod cause;
mod contacts;
mod exploration;
mod outcome;
mod own_test;
mod pairs;
mod rerun;
mod run;
mod shown;
mod smallest;
mod together;
mod under_rc11;

pub use own_test::{ExpectedPanic, OwnTest};
pub use pairs::pair_of;
#[cfg(feature = "driver")]
pub use rerun::debug;
pub use rerun::rerun;
pub use run::{OwnTestListener, run};
pub use together::Pairs;
