//! `cargo contest`: the tool.

pub mod workspace;

pub mod skipped;

pub mod discover;

pub mod instrument;

pub mod harness;
