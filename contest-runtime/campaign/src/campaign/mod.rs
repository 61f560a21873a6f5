//! The loop: generate → assemble → explore → judge → minimise, under one budget.
//!
//! It implements the feedback edges that stages declare ([`RunOnce`](contest_search::explore::RunOnce),
//! [`RunSerially`](crate::judge::RunSerially), [`Reproduce`](crate::minimise::Reproduce)), so no stage imports a later
//! one. No process, no disk: a driver and a user's `cargo test` run the same code.
#![cfg_attr(doc, doc = include_str!("DESIGN.md"))]

mod addresses;
mod alone;
mod behaviour;
mod check_test;
mod confirm;
mod contention;
mod cost;
mod coverage_shown;
mod described;
mod draws;
mod exploration;
mod explored;
mod failing_calls;
mod final_states;
mod known_bugs;
mod left_behind;
mod lock_orders;
mod measured;
mod observers;
mod one_execution;
mod outcome_key;
pub mod own_tests;
mod place_names;
mod pool;
mod prepared_test;
mod pulse;
mod reproducer;
pub mod rerun;
mod run;
mod rung_counts;
mod sampled;
pub mod scenario;
mod sequence_runner;
mod shown;
pub mod single;
mod steady;
#[cfg_attr(
    not(all(feature = "driver", target_os = "linux")),
    path = "no_stress.rs"
)]
mod stress;
mod subject_counts;
mod subject_run;
#[cfg(all(
    feature = "driver",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod symbolise;
mod test_runner;
mod text_form;
mod two_states;

pub use run::run;
