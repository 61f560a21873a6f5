//! `cargo contest debug`: one schedule under gdb, with the virtual threads as threads; for people, or for an editor by
//! the Debug Adapter Protocol.
//!
//! All virtual threads run on one thread of the system, so gdb alone shows the stack of one of them. What it needs
//! beyond that is in `gdb_scripts`, which gdb loads: it reads where the other stacks are, and goes from one scheduling
//! point to the next. A step back is the same schedule again, up to the point before.
//!
//! The protocol is written by hand: the crates for it (dap 0.4.1-alpha1, dap-types 0.0.1) are not kept any more.
//! Specification: <https://microsoft.github.io/debug-adapter-protocol/specification>.

#[cfg(unix)]
mod adapter;
mod debugged;
#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod gdb;
#[cfg(unix)]
mod message;
#[cfg(unix)]
mod session;

#[cfg(unix)]
pub use adapter::serve;
pub use debugged::{Debugged, LaunchArguments};
#[cfg(not(unix))]
pub use elsewhere::{at_the_terminal, serve};
#[cfg(unix)]
pub use gdb::at_the_terminal;
