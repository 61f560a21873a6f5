//! `contest::check` on annotated types: what it finds, says and keeps.

// With loom, this crate's engine and its types are not there.
#![cfg(not(feature = "loom"))]

mod cells;
mod checks;
mod contracts;
mod fields;
#[cfg(feature = "parking_lot")]
mod parking_lot;
mod regressions;
mod subjects;
mod text;
mod under_way;
