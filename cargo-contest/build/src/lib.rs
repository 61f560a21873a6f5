//! Packages of users, and the runtime that is linked with them: found, copied, compiled.
//!
//! [`workspace`] is all access to cargo, scratch directories and child processes; [`instrument`] replaces `std` in
//! unmodified crates and builds the runtime for the toolchain at hand.

pub mod instrument;
pub mod workspace;
