//! The loop: generate tests, explore them, judge executions, shrink what fails.
//!
//! Internal: the public interface is the package `contest-runtime`.
#![forbid(unsafe_code)]

pub mod campaign;
pub mod generate;
pub mod judge;
pub mod minimise;
