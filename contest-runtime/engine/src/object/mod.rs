//! What the engine knows about the objects of one execution: who holds, who waits, how often it was written.
//! State machines without any coroutine; the real `std` object holds the data and stays the truth.

mod state;
mod statics;
mod table;

pub(crate) use state::ObjectState;
#[cfg(target_os = "linux")]
pub(crate) use statics::waits;
pub use statics::{KeptLock, Mend};
pub(crate) use table::ObjectTable;

/// Threads of an execution at most: what a [`ThreadSet`](contest_data::decision::ThreadSet) has room for.
pub(crate) const MOST_THREADS: usize = 128;
