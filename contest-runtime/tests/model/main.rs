//! Hand-written models.

// With loom, this crate's engine and its types are not there.
#![cfg(not(feature = "loom"))]

mod alone;
mod bad_input;
mod clock;
mod disturbed_futures;
mod failure_text;
mod idle_workers;
mod left_out;
mod memory;
mod probe_unsent;
mod probe_unshared;
mod running;
mod statics;
mod teardown;
