//! What is known of a step of an interleaving beyond its text: what it did to which object, which earlier steps it
//! depends on, what its thread holds. For drawings; absent from rows that are only text.

/// What a step did, and what led to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StepFacts {
    /// Number of the step in its execution, by which links name it. Steps that are not shown have numbers too.
    pub number: u32,
    /// The object: `Registry.last` if its field is known, else `Mutex#1`; empty if there is none or it has no name.
    #[cfg_attr(feature = "serde", serde(default))]
    pub object: String,
    /// The field of the package that the object is, or is a part of; empty if it is not known. Objects of a dependency
    /// that are parts of one field have the same.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "String::is_empty")
    )]
    pub field: String,
    /// What was done to it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub effect: StepEffect,
    /// Locks that the thread holds after the step: `Registry.last`, `RwLock#2 (read)`.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub holds: Vec<String>,
    /// Earlier steps that it depends on.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub links: Vec<StepLink>,
}

/// What a step did to its object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum StepEffect {
    /// Something else.
    #[default]
    Other,
    /// Read it.
    Reads,
    /// Wrote it.
    Writes,
    /// Read and wrote it in one step.
    Updates,
    /// Took a lock.
    Locks,
    /// Gave a lock back, or exchanged it for a weaker one.
    Unlocks,
    /// Began to wait; the thread does nothing until its next step.
    Waits,
    /// Waits at the end of the execution.
    Blocked,
    /// Woke other threads, or made a token or a message available to them.
    Wakes,
    /// One of the accesses of a memory fault.
    Faults,
}

/// An earlier step that a step depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StepLink {
    /// How.
    pub why: LinkKind,
    /// Number of the earlier step.
    pub step: u32,
}

/// How a step depends on an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum LinkKind {
    /// It read the value that the earlier step wrote.
    ReadsFrom,
    /// The earlier step wrote a newer value than the one that it read.
    PassedOver,
    /// It took the lock that the earlier step gave back: the earlier one happens before it.
    Unlocked,
    /// The earlier step woke it.
    Woken,
    /// It received the message that the earlier step sent.
    Message,
    /// It waits for the lock that the earlier step took.
    WaitsFor,
    /// The two are the parts of a memory fault: accesses that nothing orders, or a use of what was freed before.
    Conflict,
}
