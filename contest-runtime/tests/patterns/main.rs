//! Patterns, coverage and predicted schedules against independent definitions.

#![allow(unreachable_pub, reason = "modules of a test target")]

mod coverage;
mod traces;
