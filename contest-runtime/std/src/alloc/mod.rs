//! Memory and values that a hand-written model must give back: what is left when all threads of an execution have ended
//! is a leak, and fails the model. Outside executions nothing is counted.

mod counted;
mod raw;
mod track;

pub use std::alloc::Layout;

pub use counted::Arc;
pub use raw::{alloc, alloc_zeroed, dealloc};
pub use track::Track;
