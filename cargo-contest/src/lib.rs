//! `cargo contest`: the tool.
//!
//! | stage | module | in → out |
//! |---|---|---|
//! | discover | [`discover`] | workspace, selection → `SubjectCatalog` |
//! | analyse | [`analyse`] | sources, catalog → `MethodSummary` for each operation, `DependencyGraph` |
//! | instrument | [`instrument`] | toolchain → the facade that stands in for `std`, and the wrapper of rustc |
//! | harness | [`harness`] | catalog → driver crate source → driver process |
//! | explore | [`campaign`] | driver, request → findings, totals (from generate to minimise, in the driver) |
//! | report | [`report`] | events, findings, totals → terminal, JSON |
//! | emit | [`emit`] | finding → a Rust test file |
//!
//! [`pipeline`] calls them in this order.

pub mod cli;

pub mod mcp;

pub mod pipeline;

pub mod workspace;

pub mod growth;
pub mod pair_path;
pub mod progress_event;
pub mod run_budget;
pub mod skipped;

pub mod explain;

pub mod discover;

pub mod analyse;

pub mod instrument;

pub mod harness;

pub mod campaign;

pub mod debugger;

pub mod advise;

pub mod state;

pub mod report;

pub mod emit;

pub mod init;

pub mod ci;
