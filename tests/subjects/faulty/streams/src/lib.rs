//! Streams and sinks that forget to wake. Each type has one bug, at the line that says `BUG`.

mod crowd;
mod pipe;

pub use crowd::Crowd;
pub use pipe::{pipe, Inlet, Outlet};
