//! What is wrong with a model, as a value.

use std::fmt;

use contest_data::trace::{Ending, Panic};

/// What kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FindingKind {
    /// No thread can run.
    Deadlock,
    /// Threads go round loops that wait for a change nobody is left to make.
    Livelock,
    /// A panic that nobody handled.
    Panic,
    /// Two accesses to one place, at least one a write, that nothing orders.
    DataRace,
    /// A value that must stay on the thread that made it was dropped on another one.
    WrongThread,
    /// A value that must be dropped was not; see [`alloc`](crate::alloc).
    Leak,
    /// The code asked to end the process.
    Exit,
    /// A limit of one execution was reached: steps, threads, memory. Nothing is known about what comes after.
    Limit,
    /// The model does not do the same when the same decisions are taken.
    Nondeterministic,
    /// The model does something that cannot be controlled.
    Unsupported,
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deadlock => "deadlock",
            Self::Livelock => "livelock",
            Self::Panic => "panic",
            Self::DataRace => "data race",
            Self::WrongThread => "wrong thread",
            Self::Leak => "leak",
            Self::Exit => "process exit",
            Self::Limit => "limit reached",
            Self::Nondeterministic => "nondeterministic model",
            Self::Unsupported => "unsupported",
        })
    }
}

/// One visible operation of the interleaving that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Who, as in [`Finding::threads`].
    pub thread: u16,
    /// What, in words: `Mutex#1.lock()`.
    pub event: String,
    /// `file:line:column`.
    pub location: String,
}

/// An interleaving that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What kind of failure.
    pub kind: FindingKind,
    /// One line; of a panic, its message.
    pub message: String,
    /// Further lines: who holds and who waits, other panics.
    pub details: Vec<String>,
    /// Source locations that matter most, the first one first.
    pub locations: Vec<String>,
    /// Names of the threads, by number; the first is the main thread.
    pub threads: Vec<String>,
    /// What happened, in order.
    pub interleaving: Vec<Step>,
    /// How the execution ended.
    pub ending: Ending,
    /// All panics of the execution, caught ones included.
    pub panics: Vec<Panic>,
    /// How often in it a thread was stopped that could have gone on.
    pub preemptions: u32,
    /// What to hand to [`Builder::replay`](super::Builder::replay) to see it again.
    pub schedule: String,
    /// Number of the execution that showed it, counting from 1.
    pub execution: u64,
    /// Locations before the execution was made smaller: what tells findings apart.
    pub(super) found_locations: Vec<String>,
}
