//! Streams and sinks that wake who waits: the mended twins of `faulty/streams`.

mod choir;
mod crowd;
mod pipe;

pub use choir::Choir;
pub use crowd::Crowd;
pub use pipe::{pipe, Inlet, Outlet};
