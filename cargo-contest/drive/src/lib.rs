//! A catalog, or tests that a package has, in; findings and totals out.
//!
//! [`harness`] writes and builds a driver, or test executables; [`campaign`] runs it, starts it again when it has died,
//! and gathers what its processes report.

pub mod campaign;
pub mod harness;
