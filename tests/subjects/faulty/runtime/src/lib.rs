//! Faulty: types that spawn tasks and set timers with tokio. Each has one fault, see README.md.

mod account;
mod client;
mod inbox;
mod pool;
mod sorter;
mod tally;

pub use account::Account;
pub use client::Client;
pub use inbox::Inbox;
pub use pool::Pool;
pub use sorter::Sorter;
pub use tally::Tally;
