//! Other executions that one execution foretells: an [`ExecutionRecord`](contest_data::trace::ExecutionRecord) and a wish in, a schedule out
//! that the engine can follow, or the answer that there is none.

pub mod candidates;
mod constraints;
pub mod explicit_search;
pub mod filter_rules;
pub mod foresight;
pub mod name;
mod plain_steps;
pub mod planned_schedule;
mod relevance;
pub mod rules;
pub mod sat_solver;
pub mod schedule_pool;
pub mod staircase;
pub mod trace_model;
pub mod unsat_cores;
mod values;

pub use candidates::{Candidate, Construction, construct};
pub use filter_rules::FilterRules;
pub use foresight::{Foresight, ForesightCounts, ForesightLimits};
pub use planned_schedule::{Divergence, Follower, PlannedSchedule};
pub use sat_solver::{Batsat, SatSolver};
pub use staircase::{Blame, Outlook, Staircase, Wish};
pub use trace_model::{Cuts, Step, StepId, TraceModel};
pub use unsat_cores::UnsatCores;
