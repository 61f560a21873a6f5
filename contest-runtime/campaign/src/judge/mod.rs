//! Executions and sequential outcomes in, verdicts out: of generated tests, and of models ([`of_model`]).
//!
//! What is dropped: executions about which nothing can be said soundly; each has a reason, which the campaign counts.
#![cfg_attr(doc, doc = include_str!("DESIGN.md"))]

mod fingerprint;
pub(crate) mod held_counts;
mod history;
mod interleaving;
mod judgement;
mod linearizability;
pub(crate) mod race;
mod serial_outcomes;
mod verdict;

mod awaits;
mod beside_tasks;
mod callbacks;
mod cancelled;
mod crossed_locks;
mod deadlock;
mod determinism;
mod early_end;
mod event_text;
mod exclusion;
mod exit;
mod field_rows;
mod futurelock;
mod given_out;
mod leak;
mod livelock;
mod loosely;
mod lost_wakeup;
mod memory_fault;
mod non_linearizable;
pub mod of_model;
pub(crate) mod older_writes;
mod panic;
mod readers;
mod reentrant_waker;
mod refusal;
mod rehearsed;
mod step_facts;
mod stuck;
pub(crate) mod timing;
mod torn_read;
mod trial;
mod turned_away;
mod turns;
mod under_way;
mod waited_out;
mod wrong_thread;

pub use determinism::difference;

pub(crate) use cancelled::cancelled_calls;
pub(crate) use determinism::agree_until_panic;
pub(crate) use fingerprint::{fingerprint, switches};
pub(crate) use history::{BesideCalls, History, in_half_seconds, name_of};
pub(crate) use interleaving::interleaving;
pub(crate) use judgement::Judge;
pub(crate) use linearizability::Compared;
pub use serial_outcomes::orders;

pub(crate) use serial_outcomes::{Interleavings, RunSerially, SerialOutcomes, SerialRun};
pub(crate) use trial::{Variation, rests_on_serial_orders, vary};
pub(crate) use turned_away::{error_in, turned_away};
pub(crate) use turns::{compared, turns};
pub(crate) use under_way::{steps_of_call, under_way};
pub(crate) use verdict::{Suspicion, Verdict};

#[cfg(test)]
mod tests;
