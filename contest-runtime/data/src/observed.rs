//! Facts about operations that executions showed; the static analysis is checked against them.

/// What operations were seen to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Observed {
    /// Single operations.
    pub alone: Vec<Seen>,
    /// Two operations in two threads.
    pub together: Vec<SeenTogether>,
    /// Facts beyond the number that is kept.
    pub dropped: u64,
}

/// Tests that were explored in every interleaving, and then sampled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sampled {
    /// Tests.
    pub tests: u64,
    /// Samples.
    pub executions: u64,
    /// Results that a sampler showed and no interleaving had: the sampler, the test and the results. Of each sampler
    /// and test the first one, and at most ten of a type in one process.
    pub missed: Vec<String>,
}

/// What one operation was seen to do at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum OperationFact {
    /// Reads a variable.
    Reads,
    /// Writes a variable.
    Writes,
    /// Acquires a lock.
    Locks,
    /// Waits for a lock while it holds another one.
    LocksMore,
}

/// What two operations were seen to do in two threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PairFact {
    /// Access one variable, and one of them writes it.
    Conflict,
    /// Acquire one lock, at least one of them exclusively.
    SameLock,
    /// One accesses a variable between two accesses of it by the other one, and one of the three writes.
    Interleave,
    /// One acquires a lock between two acquisitions of it by the other one.
    TakeTurns,
    /// Each acquires, while it holds a lock, the lock that the other one holds at that time.
    OppositeLocks,
}

/// One operation, one place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Seen {
    /// The operation, by index.
    pub operation: u16,
    /// What it did.
    pub does: OperationFact,
    /// Method and type, as `load AtomicUsize`.
    pub what: String,
    /// Where, as `file:line:column`.
    pub location: String,
}

/// Two operations, and a place in each of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SeenTogether {
    /// The operations, by index, the smaller one first.
    pub operations: (u16, u16),
    /// What they did.
    pub does: PairFact,
    /// Where each of them did it.
    pub locations: (String, String),
}
