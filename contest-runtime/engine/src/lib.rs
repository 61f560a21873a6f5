//! Controlled execution: virtual threads as coroutines on one OS thread, objects and clocks, memory of code under test.
//!
//! All unsafe code of the core is here. Internal: the public interface is the package `contest-runtime`.

#[cfg(feature = "driver")]
pub mod black_box;
pub mod execution;
mod happens_before;
pub mod memory;
mod object;
pub mod observe;
