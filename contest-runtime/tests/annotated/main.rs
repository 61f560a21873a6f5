//! `contest::check` on annotated types: what it finds, says and keeps.

mod checks;
mod contracts;
mod fields;
#[cfg(feature = "parking_lot")]
mod parking_lot;
mod regressions;
mod subjects;
mod text;
