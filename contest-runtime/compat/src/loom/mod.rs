//! For models written for [loom](https://docs.rs/loom): what of its interface is not in [`contest`](crate) by the same
//! name or with the same meaning. A crate named `loom` that re-exports it, with the rest of `contest`, stands in for
//! loom; `tests/conformance/shims/loom` is one.
//!
//! Differences that remain: memory is that of RC11, so sequentially consistent accesses are what they say; everything
//! is explored, whether or not the model says where exploration should stop.

pub mod atomic;
mod block_on;
pub mod model;
mod spawn;

pub use block_on::block_on;
pub use model::model;
pub use spawn::spawn;

/// Most threads of a model, the main thread included.
pub const MAX_THREADS: usize = 128;

/// Begins exploration, in loom. Here everything is explored: does nothing.
pub fn explore() {}

/// Ends exploration until [`explore`] is called, in loom. Here everything is explored: does nothing.
pub fn stop_exploring() {}

/// Ends exploration for this execution, in loom. Here everything is explored: does nothing.
pub fn skip_branch() {}
