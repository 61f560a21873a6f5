//! A bug, with everything a report needs: of a generated test, of a model, under this engine or loom. Crosses the
//! process wall.

use std::fmt;

use super::StepFacts;
use crate::test::{ConcurrentTest, TestCall};
use crate::trace::MemoryFault;

/// What kind of bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum FindingKind {
    /// No thread can run; in a generated test, no linearization blocks the same way.
    Deadlock,
    /// A panic: in a model one that no thread handled, in a generated test one that no linearization shows.
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
    /// Memory without an owner at quiescence, or a value of a model that must be dropped and was not.
    Leak,
    /// The process died: signal, abort, stack overflow.
    Abort,
    /// A method marked as invariant failed.
    Invariant,
    /// Results and final state match no linearization.
    NonLinearizable,
    /// A value that must stay on the thread that made it was dropped on another one.
    WrongThread,
    /// A future is ready, and nothing woke the task that waits for it.
    LostWakeup,
    /// A future was dropped at an `await`, and what is left is explained neither without its call nor with all of it.
    Cancellation,
    /// A waker that polls its future at once finds what the code that wakes it still holds.
    ReentrantWaker,
    /// A future that is kept and not polled holds what another call waits for.
    Futurelock,
    /// Only of tests of the crate: it passes only if a thread is fast enough.
    Timing,
    /// Only of tests of the crate: it passes only with some random numbers.
    Randomness,
    /// Only of tests of the crate: it passes only without another test, beside it or before it.
    Interference,
    /// A call that changes nothing returned what no linearization explains, while all that changes the object is right.
    TornRead,
    /// Only of models and of tests of the crate: the code ended the process.
    Exit,
    /// Only of models: a limit of one execution was reached (steps, threads, memory). Nothing is known about what comes
    /// after.
    Limit,
    /// Only of models: the same decisions do not lead to the same operations.
    Nondeterministic,
    /// Only of models: something that cannot be controlled.
    Unsupported,
}

impl FindingKind {
    /// What campaigns report, as in the JSON contract and `--deny`/`--allow`. Tokens hold positions in this list: new
    /// kinds come last.
    pub const OF_CAMPAIGNS: [(Self, &'static str); 20] = [
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
        (Self::LostWakeup, "lost-wakeup"),
        (Self::Cancellation, "cancellation"),
        (Self::ReentrantWaker, "reentrant-waker"),
        (Self::Futurelock, "futurelock"),
        (Self::Timing, "timing"),
        (Self::Randomness, "randomness"),
        (Self::Interference, "interference"),
        (Self::TornRead, "torn-read"),
    ];

    /// True if every call ended, and what they returned or left is wrong.
    #[must_use]
    pub fn is_wrong_result(self) -> bool {
        matches!(self, Self::NonLinearizable | Self::TornRead)
    }

    /// True if its report names the place of an allocation.
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
        match self {
            Self::Exit => "exit",
            Self::Limit => "limit",
            Self::Nondeterministic => "nondeterministic",
            Self::Unsupported => "unsupported",
            _ => {
                let mut known = Self::OF_CAMPAIGNS.iter();
                known.find(|(kind, _)| *kind == self).map_or("", |it| it.1)
            }
        }
    }

    /// As a noun in a sentence: `data race`.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::Exit => "process exit".to_owned(),
            Self::Limit => "limit reached".to_owned(),
            Self::Nondeterministic => "nondeterministic model".to_owned(),
            _ => self.name().replace('-', " "),
        }
    }
}

impl From<&MemoryFault> for FindingKind {
    fn from(fault: &MemoryFault) -> Self {
        match fault {
            MemoryFault::Race { .. } => Self::DataRace,
            // The use can come second too.
            MemoryFault::UseAfterFree { .. } | MemoryFault::UnorderedFree { .. } => {
                Self::UseAfterFree
            }
            MemoryFault::DoubleFree { .. } => Self::DoubleFree,
            MemoryFault::OutOfBounds { .. } => Self::OutOfBounds,
            MemoryFault::WrongThread { .. } => Self::WrongThread,
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether a finding fails a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Level {
    /// It does.
    #[default]
    Error,
    /// It does not.
    Warning,
}

impl Level {
    /// That of a kind where no setting says otherwise. Many a reader may see a mixture, and its author knows.
    #[must_use]
    pub fn by_default(kind: FindingKind) -> Self {
        match kind {
            FindingKind::TornRead => Self::Warning,
            _ => Self::Error,
        }
    }

    /// `error`, `warning`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// One row of the interleaving table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// The line of the package under test that called what is at `location`, if that is in a dependency and known.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub caller: Option<String>,
    /// How the call ended, on the last row of a call: `returned Some(1)`, `panicked`, `<hung>`.
    pub result: Option<String>,
    /// What the step did and which steps it depends on; of rows that are steps.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub facts: Option<StepFacts>,
}

/// A call whose future was dropped at an `await`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CancelledCall {
    /// Lane, counting from 0.
    pub lane: u16,
    /// Call in it, counting from 0.
    pub call: u16,
    /// How often the future was polled before it was dropped.
    pub polls: u32,
}

/// An interleaving of futures that one thread can play by polling them in turns, for want of a scheduler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Turns {
    /// The lane of each turn. A turn of a lane ends at a `Pending`, before a call, or before the result of one is
    /// dropped.
    pub lanes: Vec<u8>,
}

/// What shows that results are wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Compared {
    /// Calls whose results are: lane, and number in it.
    pub results: Vec<(u16, u16)>,
    /// Calls that look at the objects afterwards and show that they are wrong.
    pub observers: Vec<TestCall>,
}

/// A bug, found, confirmed and minimised.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Finding {
    /// What kind.
    pub kind: FindingKind,
    /// Whether it fails a run.
    #[cfg_attr(feature = "serde", serde(default))]
    pub level: Level,
    /// The type under test, with type arguments; empty for a model.
    pub subject: String,
    /// One sentence; of a panic in a model, its message.
    pub message: String,
    /// Further lines: who holds and waits for what, the linearizations that were tried, panic messages.
    pub details: Vec<String>,
    /// The test as data; empty for a model.
    pub test: ConcurrentTest,
    /// The calls of the prefix, as text, constructors first: `let a = Counter::new();`. Empty for a model.
    pub prefix: Vec<String>,
    /// The calls of each thread, as text; empty for a model.
    pub threads: Vec<Vec<String>>,
    /// Calls whose future was dropped at an `await` in the interleaving.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub cancelled: Vec<CancelledCall>,
    /// The interleaving, if one thread can play it.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub turns: Option<Turns>,
    /// Which results no order of the calls has.
    #[cfg_attr(feature = "serde", serde(default))]
    pub compared: Compared,
    /// Names of the threads of a model, by number; the first is the main thread. Empty for a generated test.
    #[cfg_attr(feature = "serde", serde(default))]
    pub thread_names: Vec<String>,
    /// Source locations that matter most, first the one to look at first.
    pub locations: Vec<String>,
    /// The smallest interleaving found.
    pub interleaving: Vec<InterleavingStep>,
    /// How often in it a thread was stopped that could have gone on.
    #[cfg_attr(feature = "serde", serde(default))]
    pub preemptions: u32,
    /// Token that replays it; of a model, what [`Builder::replay`](contest::Builder::replay) takes. Empty if loom found
    /// it.
    pub schedule: String,
    /// Executions of its test until it showed.
    pub executions: u64,
    /// Milliseconds of exploration until it showed.
    pub elapsed_ms: u64,
    /// What distinguishes two findings of one bug from two bugs: kind, locations, operations. Empty for a model.
    pub fingerprint: String,
    /// The test of the crate that shows it, `module::name`; `None` for a generated test or a model.
    #[cfg_attr(feature = "serde", serde(default))]
    pub own_test: Option<String>,
}

impl Finding {
    /// A finding of which nothing else is known yet.
    #[must_use]
    pub fn new(kind: FindingKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            level: Level::Error,
            subject: String::new(),
            message: message.into(),
            details: Vec::new(),
            test: ConcurrentTest::default(),
            prefix: Vec::new(),
            threads: Vec::new(),
            cancelled: Vec::new(),
            turns: None,
            compared: Compared::default(),
            thread_names: Vec::new(),
            locations: Vec::new(),
            interleaving: Vec::new(),
            preemptions: 0,
            schedule: String::new(),
            executions: 0,
            elapsed_ms: 0,
            fingerprint: String::new(),
            own_test: None,
        }
    }
}
