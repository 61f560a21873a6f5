//! Plain data between the stages of `cargo contest`; nothing here reads a file or starts a process.
//!
//! [`subject_catalog`] is what discovery found: types, operations, and an [`expression`] for each argument; [`part`]
//! takes from it what is explored, [`reasons`] counts what was [`skipped`]. [`method_summary`] and
//! [`dependency_graph`] are what static analysis found, and [`checked`] how that agrees with runs.

pub mod checked;
pub mod dependency_graph;
pub mod expression;
pub mod growth;
pub mod method_summary;
pub mod ordering_advice;
pub mod pair_path;
pub mod part;
pub mod progress_event;
pub mod reasons;
pub mod run_budget;
pub mod skipped;
pub mod state_summary;
pub mod subject_catalog;
