//! A test, a strategy and a budget in, executions out. One file per strategy.

pub mod budget;
pub mod by_name;
mod causality;
mod dependence;
pub mod dfs;
pub mod dpor;
pub mod explorer;
pub mod focused;
pub mod pct;
pub mod portfolio;
pub mod pos;
pub mod pta;
pub mod random;
pub mod replay;
pub mod rng;
pub mod serial;
pub mod switches;
pub mod urw;

pub use budget::Budget;
pub use by_name::{STRATEGIES, named};
pub use dfs::Dfs;
pub use dpor::Dpor;
pub use explorer::Explorer;
pub use focused::Focused;
pub use pct::Pct;
pub use portfolio::{Ended, PartReport, Portfolio};
pub use pos::Pos;
pub use pta::{PatternSet, Pta};
pub use random::Random;
pub use replay::Replay;
pub use serial::Serial;
pub use urw::Urw;
