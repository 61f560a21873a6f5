//! Patterns, coverage and predicted schedules against independent definitions.

// With loom, this crate's engine and its types are not there.
#![cfg(not(feature = "loom"))]
#![allow(unreachable_pub, reason = "modules of a test target")]

mod access_symbols;
mod coverage;
mod figures;
mod forced_orders;
mod limits;
mod plain;
mod prediction;
#[path = "../exploration/program.rs"]
#[allow(dead_code, reason = "shared with the tests of exploration")]
mod program;
mod programs;
mod strategies;
mod traces;
