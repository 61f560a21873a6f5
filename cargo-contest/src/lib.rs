//! `cargo contest`: the tool.

pub mod skipped;

pub mod discover;
