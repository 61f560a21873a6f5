//! Hand-written models: a closure that starts a few threads, run again and again under every interleaving that can make
//! a difference.
//!
//! In: a closure and a [`Builder`]. Out: a [`Report`], or a panic that shows the interleaving.

mod builder;
mod report;

#[cfg(feature = "loom")]
mod by_loom;
#[cfg(feature = "explore")]
mod determinism;
#[cfg(feature = "explore")]
pub(crate) mod environment;
#[cfg(feature = "explore")]
mod failure_text;
#[cfg(feature = "explore")]
mod running;
#[cfg(feature = "explore")]
mod search;
#[cfg(feature = "explore")]
mod smallest;
#[cfg(not(feature = "explore"))]
mod uncontrolled;
#[cfg(feature = "explore")]
pub(crate) mod watch;

pub use builder::{Builder, ChooseStrategy, Detached};
pub use contest_data::finding::{Finding, FindingKind, InterleavingStep as Step};
pub use contest_data::finding::{LinkKind, StepEffect, StepFacts, StepLink};
pub use report::Report;

/// Runs `f` under every interleaving that can make a difference, as far as the default limits go, and panics at the
/// first that fails.
///
/// The same as [`Builder::new`]`().`[`check`](Builder::check)`(f)`.
///
/// Only threads that are started with [`contest::thread`](crate::thread) take part. A lock that a thread of the
/// operating system holds is reported, with the place; its operations on atomics and channels are not seen: outside an
/// execution these types are those of `std`, which do not know their owners.
///
/// # Panics
/// If an interleaving fails: a panic, a deadlock, a livelock; and if the model cannot be run as one.
#[track_caller]
pub fn model<F: Fn()>(f: F) {
    Builder::new().check(f);
}
