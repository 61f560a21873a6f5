//! What wakes others: the mended twins of `faulty/wake_ups`.

mod bell;
mod event;
mod executor;
mod place;

pub use bell::{Bell, Rung};
pub use event::{Event, Listener};
pub use executor::{Executor, Task};
pub use place::Place;
