//! The vocabulary of `shuttle` 0.9: `check_random`, `Runner`, `scheduler`. A crate named `shuttle` that re-exports this
//! module beside [`sync`](contest_std::sync), [`thread`](contest_std::thread), [`future`](contest_std::future) and
//! [`hint`](contest_std::hint) runs tests written for shuttle.
//!
//! What differs:
//! - A step is a visible operation here; the same program has more or fewer of them, so exact numbers of executions
//!   differ.
//! - Schedules are tokens of this crate; shuttle's encoded schedules cannot be read.
//! - A panic of a thread whose `join` result is taken is handled, as in `std`.
//! - A lock that its holder locks again is a deadlock like others.
//! - A wait with a timeout times out when nothing else can run. [`sleep`] is a step that does nothing.

mod check;
mod config;
pub mod current;
mod failure;
mod runner;
pub mod scheduler;
mod thread;
mod wide_atomics;

pub use crate::__contest_virtual_thread_local as thread_local;
pub use check::{
    check, check_dfs, check_pct, check_random, check_random_with_seed,
    check_uncontrolled_nondeterminism, check_urw, replay, replay_from_file,
};
pub use config::{
    Config, ContinuationFunctionBehavior, FailurePersistence, MaxSteps, UngracefulShutdownConfig,
};
pub use runner::{PortfolioRunner, Runner};
pub use thread::sleep;
pub use wide_atomics::{AtomicI128, AtomicU128};
