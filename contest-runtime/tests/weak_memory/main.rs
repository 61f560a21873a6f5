//! Executions under RC11: which outcomes there are, and how many execution graphs.

// With loom, this crate's engine and its types are not there.
#![cfg(not(feature = "loom"))]

mod axioms;
mod bad_input;
mod litmus;
mod loops;
mod other_orderings;
mod outcomes;
mod program;
mod races;
mod random_programs;
mod time;
mod weakened;
