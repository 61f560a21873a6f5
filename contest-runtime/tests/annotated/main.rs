//! `contest::check` on annotated types: what it finds, says and keeps.

mod checks;
mod contracts;
mod regressions;
mod subjects;
mod text;
