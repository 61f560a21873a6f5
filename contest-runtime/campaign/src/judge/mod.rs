//! Executions and sequential outcomes in, verdicts out.
//!
//! What is dropped: executions about which nothing can be said soundly; each has a reason, which the campaign counts.

pub mod fingerprint;
pub mod held_counts;
pub mod history;
pub mod interleaving;
pub mod judgement;
pub mod linearizability;
pub mod race;
pub mod serial_outcomes;
pub mod verdict;

pub mod deadlock;
pub mod event_text;
mod exit;
pub mod field_rows;
mod leak;
mod livelock;
mod non_linearizable;
mod panic;
mod refusal;
mod stuck;
mod waited_out;
mod wrong_thread;

pub use history::History;
pub use interleaving::interleaving;
pub use judgement::Judge;
pub use linearizability::Compared;
pub use serial_outcomes::{RunSerially, SerialOutcomes, SerialRun};
pub use verdict::{Suspicion, Verdict};

#[cfg(test)]
mod tests;
