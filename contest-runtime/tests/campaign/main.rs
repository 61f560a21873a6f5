//! Whole campaigns over small subjects that stand here as the tables a generated driver would hold.

// With loom, this crate's engine and its types are not there.
#![cfg(not(feature = "loom"))]

mod again;
mod clocks;
mod early_ends;
mod equal_reads;
mod exclusion;
mod faulty;
mod futures;
mod late_differences;
mod several_objects;
mod subjects;
mod support;
mod timed_awaits;
mod turns;
mod two_states;
mod unmade;
mod visits;
