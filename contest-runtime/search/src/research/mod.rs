//! The papers' baselines: strategies that predict schedules from executions, kept for comparison and selectable by
//! name.
//!
//! This room may be skipped on first reading. `auto` uses one of them, [`Pcr`]; it depends on nothing else in here but
//! [`predict`].

mod maptest;
mod mcr;
mod pcr;
mod planned;
pub mod predict;
mod pta;

pub use maptest::MapTest;
pub use mcr::Mcr;
pub use pcr::{Pcr, PcrCounts, PcrSettings};
pub use planned::Planned;
pub use pta::{PatternSet, Pta, Requirement, Step};
