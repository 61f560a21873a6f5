//! `cargo contest`: the tool.

pub mod skipped;

pub mod workspace;

pub mod discover;
