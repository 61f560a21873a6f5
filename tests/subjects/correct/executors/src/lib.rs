//! Correct: types that spawn tasks and set timers with async-std and smol.

mod client;
mod pool;
mod tally;

pub use client::Client;
pub use pool::Pool;
pub use tally::Tally;
