//! Correct: types that spawn tasks and set timers with tokio.

mod account;
mod client;
mod pool;
mod sorter;
mod tally;

pub use account::Account;
pub use client::Client;
pub use pool::Pool;
pub use sorter::Sorter;
pub use tally::Tally;
