//! The engine of `cargo contest`.

// In reading order: plain data, the controlled run, then the stages of the pipeline.
pub mod trace;

#[cfg(feature = "explore")]
mod object;

#[cfg(feature = "explore")]
pub mod happens_before;

#[cfg(feature = "explore")]
pub mod execution;

#[cfg(feature = "explore")]
pub mod subject;

#[cfg(feature = "explore")]
pub mod observe;

#[cfg(feature = "explore")]
#[doc(hidden)]
pub mod macro_support;

#[cfg(feature = "explore")]
pub mod generate;

#[cfg(feature = "explore")]
pub mod assemble;

#[cfg(feature = "explore")]
pub mod coverage;

#[cfg(feature = "explore")]
pub mod predict;

#[cfg(feature = "explore")]
pub mod explore;

#[cfg(feature = "explore")]
pub mod judge;

#[cfg(feature = "explore")]
pub mod minimise;

#[cfg(feature = "explore")]
pub mod trace_table;

#[cfg(feature = "explore")]
pub mod campaign;

#[cfg(feature = "explore")]
pub mod memory;

/// Limits of one execution; without feature `explore` there is nothing else here.
#[cfg(not(feature = "explore"))]
pub mod execution {
    pub mod limits;
    pub use self::limits::{Limits, Timeouts};
}

// The third way in: hand-written models.
pub mod model;
pub use model::{Builder, Finding, FindingKind, Report, model};

#[cfg(feature = "driver")]
pub mod protocol;

#[cfg(feature = "driver")]
pub mod driver;

// For hand-written models: what the drop-in types do not see.
pub mod alloc;
pub mod cell;
pub mod compat;
pub mod lazy_static;
pub mod notify;

// Drop-in types for `std`, and what it has not: an executor of futures and random numbers.
pub mod future;
pub mod hint;
pub mod process;
pub mod rand;
pub mod sync;
pub mod thread;
pub mod time;

#[cfg(not(feature = "explore"))]
pub use std::thread_local;
