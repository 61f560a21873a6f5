//! Hand-written models.

mod failure_text;
mod running;
