//! Hand-written models.

mod running;
