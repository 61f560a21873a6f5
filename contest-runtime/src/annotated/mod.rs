//! Annotated types under plain `cargo test`: what `#[contest::shared]` and `#[contest::operations]` expand to, and
//! [`check`].
//!
//! In: a type whose macros wrote the tables of a [`Subject`](contest_data::subject::Subject). Out: the campaign that
//! `cargo contest` runs too, in this process, and a panic with the finding. Without feature `explore` there is only
//! [`check`], which says how to turn it on.

#[cfg(feature = "explore")]
#[doc(hidden)]
pub mod cell_access;
#[cfg(all(feature = "explore", not(feature = "loom")))]
#[doc(hidden)]
pub mod cells;
mod check;

pub mod emitted;
#[cfg(feature = "explore")]
mod environment;
#[cfg(feature = "explore")]
mod failure;
#[cfg(feature = "explore")]
#[doc(hidden)]
pub mod fields;
#[cfg(feature = "explore")]
mod instrument;
#[cfg(feature = "explore")]
mod invariant;
#[cfg(feature = "explore")]
#[doc(hidden)]
pub mod made_lock;
#[cfg(feature = "explore")]
pub mod objects;
#[cfg(feature = "explore")]
mod operations;
#[cfg(all(feature = "explore", feature = "parking_lot", not(feature = "loom")))]
mod parking_lot;
#[cfg(feature = "explore")]
mod regressions;
#[cfg(feature = "explore")]
mod run;
#[cfg(feature = "explore")]
pub mod snapshot;
#[cfg(feature = "explore")]
mod values;

pub use check::{Check, check};

use std::time::Duration;

/// For the expansion of `#[contest::test(budget = ..)]`.
#[doc(hidden)]
#[must_use]
pub const fn milliseconds(number: u64) -> Duration {
    Duration::from_millis(number)
}

/// What a test function returned, for the expansion of `#[contest::test]`: as the test harness takes it.
///
/// # Panics
/// If it is an error.
#[doc(hidden)]
#[track_caller]
pub fn passed<E: std::fmt::Debug>(result: Result<(), E>) {
    if let Err(error) = result {
        panic!("the test returned an error: {error:?}");
    }
}

#[cfg(feature = "explore")]
pub use instrument::Instrument;
#[cfg(feature = "explore")]
pub use invariant::Holds;
#[cfg(feature = "explore")]
pub use operations::{HasPart, Method, Operations, Part, subject};

#[cfg(feature = "explore")]
pub use run::Report;
#[cfg(feature = "explore")]
pub use snapshot::Snapshot;
#[cfg(feature = "explore")]
pub use values::Values;
