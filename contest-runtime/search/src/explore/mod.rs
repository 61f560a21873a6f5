//! Explores one test: strategies by name, and the loop that runs executions under them.
//!
//! The default strategies are re-exported here; the papers' baselines are in [`research`](crate::research).

mod by_name;
mod explorer;
mod weak_races;

pub use crate::strategies::{
    Budget, Communications, Dfs, Dpor, Ended, Focused, Graphs, PartReport, Pct, Portfolio, Pos,
    Random, Replay, Serial, Stale, Switch, SwitchOnce, SwitchTwice, Switches, Urw, Waits,
    switches_of, values_of,
};
pub use by_name::{named, pta_patterns};
pub use explorer::{Explorer, RunOnce, unmodelled};
pub use weak_races::WeakRaces;
