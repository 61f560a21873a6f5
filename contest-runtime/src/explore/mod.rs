//! A test, a strategy and a budget in, executions out. One file per strategy.

pub mod budget;
mod causality;
mod dependence;
pub mod dfs;
pub mod dpor;
pub mod explorer;
pub mod focused;
pub mod maptest;
pub mod mcr;
pub mod pcr;
pub mod pct;
pub mod planned;
pub mod pos;
pub mod random;
pub mod replay;
pub mod rng;
pub mod serial;
pub mod switches;
pub mod urw;

pub use budget::Budget;
pub use dfs::Dfs;
pub use dpor::Dpor;
pub use explorer::Explorer;
pub use focused::Focused;
pub use maptest::MapTest;
pub use mcr::Mcr;
pub use pcr::Pcr;
pub use pct::Pct;
pub use planned::Planned;
pub use pos::Pos;
pub use random::Random;
pub use replay::Replay;
pub use serial::Serial;
pub use urw::Urw;
