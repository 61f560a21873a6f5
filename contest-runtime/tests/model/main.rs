//! Hand-written models.

mod alone;
mod bad_input;
mod clock;
mod failure_text;
mod memory;
mod running;
mod statics;
mod teardown;
