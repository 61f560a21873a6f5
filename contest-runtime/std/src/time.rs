//! Drop-in for `std::time`. Inside an execution [`Instant::now`] and [`SystemTime::now`] read the virtual clock, which
//! moves a little with every look at it, and to the end of a wait when a timeout or a sleep ends; outside they read the
//! real one. Without feature `explore` everything is that of `std`.
//!
//! Crates that `cargo contest` instruments keep the types of `std`: there the clock itself is replaced, at the symbol
//! `clock_gettime`.

#[cfg(feature = "explore")]
mod arithmetic;
#[cfg(feature = "explore")]
mod instant;
#[cfg(feature = "explore")]
mod system_time;

#[cfg(feature = "explore")]
pub use self::{instant::Instant, system_time::SystemTime, system_time::UNIX_EPOCH};
#[cfg(not(feature = "explore"))]
pub use std::time::{Instant, SystemTime, UNIX_EPOCH};

pub use std::time::{Duration, SystemTimeError, TryFromFloatSecsError};
