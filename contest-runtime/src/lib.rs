//! The engine of `cargo contest`, and a library for hand-written models of concurrent code.
//!
//! There are three ways in, each with a tutorial in `guide`. `cargo contest` tests crates as they are; attributes on a
//! type let plain `cargo test` generate tests of it; and a model is written by hand, with this library alone, as an
//! ordinary test:
//!
//! ```
//! use contest::sync::Arc;
//! use contest::sync::atomic::{AtomicU32, Ordering::SeqCst};
//! use contest::thread;
//!
//! // In a test: #[test] fn both_increments_count() { .. }
//! contest::model(|| {
//!     let count = Arc::new(AtomicU32::new(0));
//!     let theirs = Arc::clone(&count);
//!     let thread = thread::spawn(move || theirs.fetch_add(1, SeqCst));
//!     count.fetch_add(1, SeqCst);
//!     thread.join().unwrap();
//!     assert_eq!(count.load(SeqCst), 2);
//! });
//! ```
//!
//! [`fn@model`] runs the closure again and again, under one interleaving of its threads after another, until it has
//! seen all that can make a difference or reaches a limit. How, how often and within which limits is for a [`Builder`]
//! to say. A model that fails panics:
//!
//! ```
//! # #[cfg(feature = "explore")] {
//! # use contest::sync::Arc;
//! # use contest::sync::atomic::{AtomicU32, Ordering::SeqCst};
//! # use contest::thread;
//! let report = contest::Builder::new().exhaustive().run(|| {
//!     let count = Arc::new(AtomicU32::new(0));
//!     let theirs = Arc::clone(&count);
//!     // Not one step but two: load, then store.
//!     let thread = thread::spawn(move || theirs.store(theirs.load(SeqCst) + 1, SeqCst));
//!     count.store(count.load(SeqCst) + 1, SeqCst);
//!     thread.join().unwrap();
//!     assert_eq!(count.load(SeqCst), 2, "an update was lost");
//! });
//! let finding = &report.findings()[0];
//! assert_eq!(finding.kind, contest::FindingKind::Panic);
//! assert!(finding.message.contains("an update was lost"));
//! # }
//! ```
//!
//! With [`Builder::check`] or [`fn@model`], the same is the text of the panic, beginning with the original message:
//!
//! ```text
//! contest found a panic: assertion `left == right` failed: an update was lost
//!   left: 1
//!  right: 2
//!   main thread panicked at tests/count.rs:12:5
//!
//! The interleaving that shows it (found in execution 3, one thread stopped that could go on):
//! | main thread          | thread 1             |
//! | -------------------- | -------------------- |
//! | spawn() -> thread 1  |                      | tests/count.rs:9:18
//! | atomic#1.load() -> 0 |                      | tests/count.rs:10:23
//! |                      | atomic#1.load() -> 0 | tests/count.rs:9:60
//! |                      | atomic#1.store(1)    | tests/count.rs:9:47
//! | atomic#1.store(1)    |                      | tests/count.rs:10:11
//! | ...
//!
//! To run this interleaving again:
//!     CONTEST_REPLAY=AQUAAQIEiyeL15Q cargo test count -- --exact --nocapture
//! ```
//!
//! # Annotated types
//! A type is annotated, and its tests are generated, without any tool, under plain `cargo test`:
//!
//! ```
//! # #[cfg(all(feature = "macros", feature = "explore"))] {
//! use std::sync::Mutex;
//!
//! #[contest::shared]
//! #[derive(Default)]
//! pub struct Stack {
//!     values: Mutex<Vec<u32>>,
//! }
//!
//! #[contest::operations]
//! impl Stack {
//!     pub fn new() -> Self {
//!         Self { values: Mutex::new(Vec::new()) }
//!     }
//!
//!     pub fn push(&self, value: u32) {
//!         self.values.lock().unwrap().push(value);
//!     }
//!
//!     pub fn pop(&self) -> Option<u32> {
//!         let last = self.values.lock().unwrap().last().copied();
//!         // The lock is taken twice: another thread may have taken the same value.
//!         self.values.lock().unwrap().pop();
//!         last
//!     }
//! }
//!
//! // In a test: contest::check::<Stack>().run();
//! let report = contest::check::<Stack>().report();
//! assert!(report.findings[0].message.contains("pop"));
//! # }
//! ```
//!
//! In `Cargo.toml`, so that only tests see instrumented types:
//!
//! ```toml
//! [dependencies]
//! contest-runtime = "0.1"
//!
//! [dev-dependencies]
//! contest-runtime = { version = "0.1", features = ["explore"] }
//! ```
//!
//! The attributes are [`shared`](macro@shared), [`operations`](macro@operations) and [`test`](macro@test); see
//! [`check`] for the options of a check, and what it means that it runs in the test's own process.
//!
//! # Features
//! With feature `explore` the modules [`sync`], [`thread`], [`time`], [`hint`] and [`process`] hold types that work as
//! those of `std` outside of a model, and are scheduled inside. Without it they *are* those of `std`, and [`fn@model`]
//! runs its closure once, on real threads: code that uses `contest::sync` for good pays nothing, and its models are
//! tests that say little. Turn the feature on for tests only.
//!
//! # What a model may do
//! * **Be the same each time.** When the same threads are picked, the same must happen: no real randomness, no clock
//!   but that of [`time`], no `HashMap` with random seeds whose order matters, no counter outside of the closure. The
//!   first execution and some later ones are run twice to see that, and a model that differs fails with the first step
//!   that did.
//! * **Use types of this crate for all that threads share.** A lock or channel of `std` that blocks stops all virtual
//!   threads; after [`Builder::hang_limit`] a watchdog names the call and ends the process. Atomics of `std` are not
//!   seen by the scheduler.
//! * **Start threads with [`thread`].** Threads still running when the closure returns run on to their end; one that
//!   waits for ever then is a deadlock, unless [`Builder::detached`] says otherwise.
//! * **Have something to decide.** A model in which at most one thread could go on at every point has tested nothing,
//!   and fails; see [`Builder::allow_no_decisions`].
//!
//! A panic that ends a thread fails the model unless it is taken from the thread's join handle.
//!
//! # Statics, thread-locals, addresses
//! Executions share the process. Still each starts with what the model found when it began:
//! * [`thread_local!`] of this crate: a value for each virtual thread, dropped at the end of the thread.
//! * `static` [`OnceLock`](sync::OnceLock), [`LazyLock`](sync::LazyLock), [`Once`](sync::Once) and [`lazy_static!`]: a
//!   value for each execution, dropped at its end; the real one is not touched. If it had a value before the model, all
//!   executions see that one.
//! * `static` atomics, [`Mutex`](sync::Mutex) and [`RwLock`](sync::RwLock) of this crate: values and contents are put
//!   back after each execution (on Linux and Windows, for statics of the executable; elsewhere they stay as they are).
//!   Contents that own memory, were changed before the model began, and change in it cannot be put back: that is a
//!   finding and says where. Models that use such statics run one at a time.
//! * Statics and thread-locals of `std` and of crates that use `std` stay as executions leave them.
//!
//! Addresses differ from execution to execution, as an allocator likes; objects are known by the order of their first
//! use, and no address decides what is explored, replayed or reported. In the driver process of `cargo contest` more is
//! guaranteed: every execution starts from the same bytes at the same addresses.
//!
//! # When an execution is over
//! Threads that are unfinished, in a deadlock say, are unwound: their destructors run, once, and nothing else. What
//! cannot be unwound, such as a destructor that waits for ever, is left behind, which [`Report::given_up`] counts.
//! A destructor that panics while its thread unwinds, which aborts a program, is reported on Linux; elsewhere the
//! process ends there, with a line that says in which thread.

// With loom as the engine, the drop-in types are not there to call the other one.
#![cfg_attr(
    feature = "loom",
    allow(
        dead_code,
        unused_imports,
        reason = "the engine is there, its drop-in types are not"
    )
)]

// The first way in has a driver of its own, the package contest-driver; here are the other two.
pub mod model;
pub use contest_data::limits::MemoryModel;
pub use model::{Builder, Finding, FindingKind, Report, model};

pub mod annotated;
pub use annotated::check;
#[cfg(feature = "explore")]
pub use annotated::{Instrument, Snapshot, Values};
#[cfg(feature = "macros")]
pub use contest_macros::{operations, shared, test};

#[cfg(feature = "explore")]
#[doc(hidden)]
pub mod macro_support;

/// Limits of one execution.
pub mod execution {
    pub use contest_data::limits::{Limits, Timeouts};
    #[cfg(feature = "explore")]
    pub use contest_engine::execution::active;
}

pub use contest_data::trace;

// Drop-in types for `std`, and what models need beside them.
#[cfg(all(feature = "parking_lot", not(feature = "loom")))]
pub use contest_std::parking_lot;
#[cfg(not(feature = "loom"))]
pub use contest_std::{
    alloc, cell, future, hint, lazy_static, notify, rand, sync, thread, thread_local,
};
pub use contest_std::{process, time};

// In their place with feature `loom`.
#[cfg(feature = "loom")]
pub use ::loom::lazy_static;
#[cfg(feature = "loom")]
pub use contest_loom::{cell, hint, sync, thread, thread_local};

#[cfg(feature = "explore")]
pub use contest_engine::{observe, observe_future, observe_iterator, state};

#[cfg(any(doc, doctest))]
pub mod guide;
