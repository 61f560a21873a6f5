//! Which interleaving to run next: strategies, prediction of schedules from executions, and coverage that steers both.
//!
//! A strategy sees a [`DecisionPoint`](contest_data::decision::DecisionPoint) as a value, never a live thread. Internal: the public
//! interface is the package `contest-runtime`.
#![forbid(unsafe_code)]

pub mod coverage;
pub mod explore;
pub mod predict;
