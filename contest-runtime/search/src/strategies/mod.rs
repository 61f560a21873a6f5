//! Strategies that users get by default: a test and a budget in, executions out. One file per strategy.
//!
//! A strategy sees decision points and the records of executions, and knows nothing of other strategies; [`Portfolio`]
//! runs several.

mod budget;
mod causality;
mod communications;
mod dependence;
mod dfs;
mod dpor;
mod focused;
mod graphs;
mod levels;
mod lock_order;
#[cfg(test)]
mod outcomes;
mod pct;
mod portfolio;
mod pos;
mod random;
mod replay;
mod serial;
mod stale;
mod switch_once;
mod switch_twice;
mod switches;
mod tree_size;
mod urw;
mod whole_calls;
mod without_preemption;

pub use budget::Budget;
pub use communications::Communications;
pub use dfs::Dfs;
pub use dpor::Dpor;
pub use focused::Focused;
pub use graphs::Graphs;
pub use pct::Pct;
pub(crate) use portfolio::Member;
pub use portfolio::{Ended, PartReport, Portfolio};
pub use pos::Pos;
pub use random::Random;
pub use replay::Replay;
pub use serial::{Serial, Waits};
pub use stale::Stale;
pub use switch_once::SwitchOnce;
pub use switch_twice::SwitchTwice;
pub use switches::{Switch, Switches, switches_of, values_of};
pub use urw::Urw;
pub(crate) use whole_calls::WholeCalls;
pub(crate) use without_preemption::without_preemption;
