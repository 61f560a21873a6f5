//! The tables of a finding. They are drawn by the runtime, which shows them in panics of `cargo test` too.

pub use contest_data::trace_table::{calls_table, interleaving_table};

#[cfg(test)]
mod tests;
