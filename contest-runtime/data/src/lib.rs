//! Plain data of cargo-contest. Everything that crosses a wall between its crates, or between the tool and a driver
//! process, is here, and nothing that acts on it. Imports nothing of ours.
//!
//! Internal: the public interface is the package `contest-runtime`.
#![forbid(unsafe_code)]

// What the signatures of models name with and without the engine.
pub mod delay;
pub mod gap;
pub mod limits;
pub mod trace;

pub mod decision;
pub mod finding;
pub mod rng;
pub mod subject;
pub mod test;

// What only code with the engine needs.
#[cfg(feature = "explore")]
pub mod atomic_sets;
#[cfg(feature = "explore")]
pub mod circumstances;
#[cfg(feature = "explore")]
pub mod contact;
#[cfg(feature = "explore")]
pub mod coverage_counts;
#[cfg(feature = "explore")]
pub mod dependencies;
#[cfg(feature = "explore")]
pub mod execution_graph;
#[cfg(feature = "explore")]
pub mod failure_text;
#[cfg(feature = "explore")]
pub mod fast_hash;
#[cfg(feature = "explore")]
pub mod fold_hash;
#[cfg(feature = "explore")]
pub mod ladder;
#[cfg(feature = "explore")]
pub mod names;
#[cfg(feature = "explore")]
pub mod observed;
#[cfg(feature = "explore")]
pub mod orderings;
#[cfg(feature = "explore")]
pub mod own_tests;
#[cfg(feature = "explore")]
pub mod scenario;
#[cfg(feature = "explore")]
pub mod settings;
#[cfg(feature = "explore")]
pub mod sorted;
#[cfg(feature = "explore")]
pub mod token;
#[cfg(feature = "explore")]
pub mod totals;
#[cfg(feature = "explore")]
pub mod trace_table;

#[cfg(feature = "protocol")]
pub mod protocol;
