//! loom as the engine: with feature `loom`, [`sync`], [`thread`], [`cell`] and [`hint`] are loom's, and so are the
//! fields of annotated types; [`model`](contest::model()), [`Builder`](crate::Builder) and `#[contest::test]` run under
//! `loom::model`. Nothing in a test has to change:
//!
//! ```text
//! cargo test                                     # this crate's engine: sequentially consistent memory
//! cargo test --features contest-runtime/loom     # loom: weak memory
//! ```
//!
//! What this finds that the engine cannot: a `Relaxed` where `Acquire` or `Release` is needed. What it costs:
//! [`LIMITS`]. A failure comes as a [`Finding`](crate::Finding) with the order in which loom ran its operations (those
//! of atomics and locks; a load may return an older value than the last one stored), and without a schedule: loom's
//! search is the same every time.
//!
//! While the feature is on, types of this crate work inside of models only: other tests of the crate fail. Name those
//! to run: `cargo test --features contest-runtime/loom model_`.

mod atomic;
mod barrier;
pub mod cell;
mod check;
pub mod hint;
mod locks;
#[doc(hidden)]
pub mod mpsc;
mod once;
pub mod sync;
pub mod thread;

mod arc;
mod captured_panic;
mod failure;
mod log;
mod search;

/// For what macros expand to.
#[doc(hidden)]
pub use ::loom as backend;

pub use captured_panic::Captured;
pub use check::campaign;
pub use search::{Bounds, Stopped, search};

/// Most threads of a model, the main thread included.
pub const MOST_THREADS: usize = loom::MAX_THREADS;

/// Preemptions of one execution if nothing is said: what loom's authors recommend, since most bugs need fewer and
/// without a bound few models come to an end.
pub const PREEMPTIONS: usize = 3;

/// What the backend cannot do or does otherwise; shown with every result.
pub const LIMITS: &[&str] = &[
    "loom backend: at most 5 threads; loads and stores that are SeqCst count as Acquire and Release only, so a failure that SeqCst \
     forbids is a false alarm (fences that are SeqCst are exact)",
    "loom backend: a load sees no store that comes later in the execution (no load buffering); timeouts never fire or are not there; \
     counters of std's Arc are not modelled, those of contest::sync::Arc are",
    "loom backend: not there are scoped threads, parking_lot, statics made by const fn",
    "loom backend: an interleaving shows operations of atomics and locks, of which channels, barriers and what is made once consist here; \
     those of cells, park and Arc are not in it",
];
