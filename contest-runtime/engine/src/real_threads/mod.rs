//! One run of a generated test on threads of the system, with no scheduler of ours: what the strategy `stress` does.
//!
//! A run has a process of its own, a copy of the driver made by `fork`: what it does to statics is gone afterwards, a
//! run that hangs is killed, and a crash ends the copy only. The copy has no execution, so drop-in types are those of
//! `std` there, clocks are the kernel's and everything is allocated by the system's allocator. Functions that LLVM puts
//! in place of atomic operations, where memory accesses are instrumented, are sequentially consistent: a run shows
//! no other order of them.

mod in_copy;
mod process;
mod wire;

use std::time::Duration;

use contest_data::test::RunnableTest;
use contest_data::trace::Outcome;

/// Signals whose handlers in a driver report how it ends. In a copy they are as the system has them: its end is not the
/// driver's.
pub const DEATH_SIGNALS: [std::ffi::c_int; 6] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGABRT,
    libc::SIGALRM,
];

/// What one run showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RealRun {
    /// The calls that began, of each thread in their order. If the process ended before the test did, none is known.
    pub calls: Vec<RealCall>,
    /// How it ended.
    pub ending: RealEnding,
}

/// A call of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RealCall {
    /// The lane that made it; `None`: the main thread.
    pub lane: Option<u8>,
    /// Its number among the calls of its thread.
    pub call: u16,
    /// Beginnings and ends of calls before it began, of all threads.
    pub began: u32,
    /// The same before it ended; `u32::MAX` if it did not.
    pub ended: u32,
    /// What it came back with; a panic with its location.
    pub outcome: Outcome,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RealEnding {
    /// The main thread came to its end.
    Finished,
    /// It did not come to its end in time.
    Hung,
    /// The process was ended by this signal.
    Signal(i32),
    /// The process ended itself, with this status.
    Exited(i32),
}

/// Runs the test once. `limit`: after this time it hangs.
///
/// # Errors
/// If the system has no further process or pipe.
pub fn run_once(test: &RunnableTest, limit: Duration) -> std::io::Result<RealRun> {
    process::run_in_copy(limit, |out| in_copy::run(test, limit, out))
}

#[cfg(test)]
mod tests;
