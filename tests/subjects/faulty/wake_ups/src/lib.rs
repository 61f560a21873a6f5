//! What wakes others. Each type has one bug, at the line that says `BUG`.

mod door;
mod event;
mod executor;
mod place;

pub use door::Door;
pub use event::{Event, Listener};
pub use executor::{Executor, Task};
pub use place::Place;
