//! Streams and sinks that forget to wake, or wake with a lock held. Each type has one bug, at the line that says `BUG`.

mod choir;
mod crowd;
mod pipe;

pub use choir::Choir;
pub use crowd::Crowd;
pub use pipe::{pipe, Inlet, Outlet};
