//! Names under which other tools offer what this crate offers under its own: for running other people's tests unchanged.

pub mod shuttle;
