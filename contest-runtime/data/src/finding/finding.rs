//! A bug, with everything a report needs; crosses the process wall.

use std::fmt;

use crate::test::ConcurrentTest;

/// What kind of bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum FindingKind {
    /// No thread can run, and no linearization blocks the same way.
    Deadlock,
    /// A panic that no linearization shows.
    Panic,
    /// Threads run for ever without changing anything.
    Livelock,
    /// Two unordered accesses to one location.
    DataRace,
    /// Freed memory used.
    UseAfterFree,
    /// Memory freed twice.
    DoubleFree,
    /// Memory beside every block of the heap used.
    OutOfBounds,
    /// Memory owned by nobody at quiescence.
    Leak,
    /// The process died: signal, abort, stack overflow.
    Abort,
    /// A method marked as invariant failed.
    Invariant,
    /// Results and final state match no linearization.
    NonLinearizable,
    /// A value that must stay on the thread that made it was dropped on another one.
    WrongThread,
}

impl FindingKind {
    /// As in the JSON contract and `--deny`/`--allow`.
    pub const ALL: [(Self, &'static str); 12] = [
        (Self::Deadlock, "deadlock"),
        (Self::Panic, "panic"),
        (Self::Livelock, "livelock"),
        (Self::DataRace, "data-race"),
        (Self::UseAfterFree, "use-after-free"),
        (Self::DoubleFree, "double-free"),
        (Self::OutOfBounds, "out-of-bounds"),
        (Self::Leak, "leak"),
        (Self::Abort, "abort"),
        (Self::Invariant, "invariant"),
        (Self::NonLinearizable, "non-linearizable"),
        (Self::WrongThread, "wrong-thread"),
    ];

    /// True if it is told with the place of an allocation.
    #[must_use]
    pub fn needs_allocations(self) -> bool {
        matches!(self, Self::Leak | Self::OutOfBounds)
    }

    /// True if it shows only where every memory access is watched.
    #[must_use]
    pub fn needs_memory(self) -> bool {
        matches!(
            self,
            Self::DataRace | Self::UseAfterFree | Self::DoubleFree | Self::OutOfBounds
        )
    }

    /// Its name in the contract.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(kind, _)| *kind == self)
            .map_or("", |(_, name)| name)
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One row of the interleaving table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct InterleavingStep {
    /// Virtual thread; 0 is the main thread.
    pub thread: u16,
    /// Call it belongs to (number in its thread), if in one.
    pub call: Option<u16>,
    /// What happened, in words: `lock Mutex#1`, `count.load() -> 3`.
    pub event: String,
    /// `src/lib.rs:10:5`; empty if unknown.
    pub location: String,
    /// How the call ended, on the last row of a call: `returned Some(1)`, `panicked`, `<hung>`.
    pub result: Option<String>,
}

/// A bug, found, confirmed and minimised.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Finding {
    /// What kind.
    pub kind: FindingKind,
    /// The type under test, with type arguments.
    pub subject: String,
    /// One sentence.
    pub message: String,
    /// Further lines: who holds and waits for what, the linearizations that were tried, the panic message.
    pub details: Vec<String>,
    /// The test as data.
    pub test: ConcurrentTest,
    /// The calls of the prefix, as text, constructors first: `let a = Counter::new();`.
    pub prefix: Vec<String>,
    /// The calls of each thread, as text.
    pub threads: Vec<Vec<String>>,
    /// Source locations that matter most, first the one to look at first.
    pub locations: Vec<String>,
    /// The smallest interleaving found.
    pub interleaving: Vec<InterleavingStep>,
    /// Token that replays it.
    pub schedule: String,
    /// Executions of its test until it showed.
    pub executions: u64,
    /// Milliseconds of exploration until it showed.
    pub elapsed_ms: u64,
    /// What tells two findings of one bug apart from two bugs: kind, locations, operations.
    pub fingerprint: String,
}
