//! Drop-in types for `std`. With feature `explore` each wraps the real one: outside an execution it behaves as the real
//! one, inside, the engine decides when. Without the feature they are those of `std`.
//!
//! Internal: the public interface is the package `contest-runtime`.
//!
//! # What `std` has once
//!
//! Some of `std` is there once for the process, or for a thread of the system, and is compiled already. In drivers,
//! that is in `cargo contest run`, `test` and `try`, it is either *exact* (who waits, who holds, what happens before
//! what), or *atomic*: the scheduler lets no other thread in, and the race detector sees none of its accesses.
//!
//! - standard output and error, `print!`: exact, by the futex at which `std` waits (`execution/streams.rs` of the
//!   engine). A section in which nothing is done that others see is one step, and orders nothing.
//! - standard input: who waits is exact; it is empty, and reading it is atomic.
//! - panic hook: atomic. Panics are recorded before a hook of code under test is called; a hook may wait, and who
//!   sets another one waits for it.
//! - backtraces: atomic; `RUST_BACKTRACE` is not set.
//! - environment: atomic; put back after each execution.
//! - current thread, its identifier: exact in crates that are compiled with the facade; others see one thread.
//! - `Once`, `OnceLock`, `LazyLock`: exact; those in `std` itself are atomic.
//! - `available_parallelism`: atomic; the same in all executions.
//! - resolver: atomic, in real time.
//! - processes: exact, in real time: virtual time does not pass faster while one runs, for 60 s in which nothing
//!   happens.
//! - allocator: atomic; `#[global_allocator]` of code under test registers nothing.
//! - thread-locals, their destructors: exact in crates that are compiled with the facade; others have those of one
//!   thread, never dropped.
//! - seeds of hash maps: the same in all executions.
//! - `thread::panicking`: exact.
//!
//! `tests/subjects/correct/process_wide` has a test for each row. In models and annotated types, which run in an
//! ordinary test process, the locks of the streams are those of the one thread of the system: they let any virtual
//! thread in.

pub mod alloc;
#[cfg(feature = "explore")]
pub mod arch;
pub mod cell;
pub mod future;
pub mod hint;
pub mod lazy_static;
pub mod notify;
pub mod panic;
#[cfg(all(feature = "parking_lot", feature = "explore"))]
pub mod parking_lot;
#[cfg(feature = "explore")]
pub mod probe;
pub mod process;
pub mod rand;
#[cfg(feature = "explore")]
pub mod raw_lock;
pub mod sync;
pub mod thread;
pub mod time;

/// The interface of parking_lot 0.12: parking_lot itself, since feature `explore` is off.
#[cfg(all(feature = "parking_lot", not(feature = "explore")))]
pub use ::parking_lot;

#[cfg(not(feature = "explore"))]
pub use std::thread_local;

/// What expanded macros name.
#[doc(hidden)]
pub mod macro_support {
    pub use std;

    #[cfg(feature = "explore")]
    pub use crate::thread::local_key::Name;
}
