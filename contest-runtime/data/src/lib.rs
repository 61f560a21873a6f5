//! Plain data of cargo-contest. Everything that crosses a wall between its crates, or between the tool and a driver
//! process, is here, and nothing that acts on it. Imports nothing of ours.
//!
//! Internal: the public interface is the package `contest-runtime`.
#![forbid(unsafe_code)]

pub mod limits;
pub mod trace;

pub mod atomic_sets;
pub mod coverage_counts;
pub mod decision;
pub mod dependencies;
pub mod finding;
#[cfg(feature = "explore")]
pub mod fold_hash;
pub mod names;
pub mod observed;
pub mod rng;
pub mod settings;
pub mod subject;
pub mod test;
#[cfg(feature = "explore")]
pub mod token;
pub mod totals;
#[cfg(feature = "explore")]
pub mod trace_table;

#[cfg(feature = "serde")]
pub mod protocol;

#[cfg(feature = "explore")]
pub mod failure_text;
