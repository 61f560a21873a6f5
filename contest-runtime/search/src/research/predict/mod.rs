//! Predicts executions from one that ran: an [`ExecutionRecord`](contest_data::trace::ExecutionRecord) and a goal in;
//! out comes a schedule that the engine can follow, or the answer that there is none.

mod candidates;
mod constraints;
mod explicit_search;
mod filter_rules;
mod foresight;
mod name;
mod object_kinds;
mod plain_steps;
mod planned_schedule;
mod relevance;
mod rules;
mod sat_solver;
mod schedule_pool;
mod staircase;
mod step;
mod trace_model;
mod unsat_cores;
mod values;

pub use candidates::{Candidate, construct};
pub use explicit_search::search;
pub use filter_rules::FilterRules;
pub use foresight::ForesightLimits;
pub(crate) use foresight::{Foresight, ForesightCounts, fingerprint, windows};
pub(crate) use name::Name;
pub(crate) use planned_schedule::Follower;
pub use planned_schedule::{Divergence, PlannedSchedule};
pub use sat_solver::{Batsat, SatSolver};
pub(crate) use schedule_pool::SchedulePool;
pub use staircase::{Goal, Prediction, Staircase};
pub use step::StepId;
pub use trace_model::TraceModel;
pub(crate) use unsat_cores::UnsatCores;
