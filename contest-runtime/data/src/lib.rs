//! Plain data of cargo-contest. Everything that crosses a wall between its crates, or between the tool and a driver
//! process, is here, and nothing that acts on it. Imports nothing of ours.
//!
//! Internal: the public interface is the package `contest-runtime`.
#![forbid(unsafe_code)]

pub mod limits;
pub mod trace;

#[cfg(feature = "explore")]
pub mod atomic_sets;
#[cfg(feature = "explore")]
pub mod coverage_counts;
pub mod decision;
#[cfg(feature = "explore")]
pub mod dependencies;
#[cfg(feature = "explore")]
pub mod finding;
#[cfg(feature = "explore")]
pub mod names;
#[cfg(feature = "explore")]
pub mod observed;
pub mod rng;
#[cfg(feature = "explore")]
pub mod settings;
#[cfg(feature = "explore")]
pub mod subject;
#[cfg(feature = "explore")]
pub mod test;
#[cfg(feature = "explore")]
pub mod token;
#[cfg(feature = "explore")]
pub mod totals;
#[cfg(feature = "explore")]
pub mod trace_table;

#[cfg(feature = "serde")]
pub mod protocol;
