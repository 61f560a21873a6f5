//! `cargo contest`: the tool.
//!
//! | stage | module | in → out |
//! |---|---|---|
//! | discover | [`discover`] | workspace, selection → `SubjectCatalog` |
//! | report | [`report`] | events, findings, totals → terminal, JSON |
//! | emit | [`emit`] | finding → a Rust test file |

pub mod cli;

pub mod progress_event;
pub mod skipped;

pub mod discover;

pub mod report;

pub mod emit;
