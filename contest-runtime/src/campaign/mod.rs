//! The loop: generate → assemble → explore → judge → minimise, under one budget.

mod exploration;
mod prepared_test;
mod test_runner;
pub mod totals;
