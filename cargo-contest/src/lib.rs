//! `cargo contest`: the tool.
//!
//! | stage | package | in → out |
//! |---|---|---|
//! | discover | [`contest_discover`] | workspace, selection → `SubjectCatalog` |
//! | analyse | [`contest_analyse`] | sources, catalog → `MethodSummary` for each operation, `DependencyGraph` |
//! | instrument | [`contest_build`] | toolchain → the facade that stands in for `std`, and the wrapper of rustc |
//! | harness | [`contest_drive`] | catalog → driver crate source → driver process |
//! | explore | [`contest_drive`] | driver, request → findings, totals (from generate to minimise, in the driver) |
//! | report | [`contest_report`] | events, findings, totals → terminal, JSON |
//! | emit | [`emit`] | finding → a Rust test file |
//!
//! [`pipeline`] calls them in this order. What they hand to each other is in [`contest_catalog`].

pub mod cli;

pub mod mcp;

pub mod pipeline;

mod embedded;

pub mod debugger;

pub mod advise;

pub mod state;

pub mod emit;

pub mod init;

pub mod ci;

#[cfg(test)]
mod sample;
