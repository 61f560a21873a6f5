//! What wakes others: the mended twins of `faulty/wake_ups`.

mod bell;
mod door;
mod event;
mod executor;
mod meeting;
mod place;

pub use bell::{Bell, Rung};
pub use door::Door;
pub use event::{Event, Listener};
pub use executor::{Executor, Task};
pub use meeting::Meeting;
pub use place::Place;
