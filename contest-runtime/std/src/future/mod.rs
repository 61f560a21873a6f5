//! Runs futures on virtual threads: every task is a thread of its own, so that its polls interleave with everything
//! else as the strategy says. Outside an execution tasks are real threads.
//!
//! Waking and waiting to be woken are visible operations; a task that waits when no thread is left that could wake it
//! is part of a deadlock.

mod block_on;
mod disturbed;
mod shared;
mod task;
mod yield_now;

pub use block_on::block_on;
pub use disturbed::{block_on_or_drop, block_on_polled_again};
pub use task::{AbortHandle, JoinError, JoinHandle, spawn, spawn_local};
pub use yield_now::yield_now;
