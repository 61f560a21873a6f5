//! What static analysis knows of pairs of operations before anything runs (Terragni, Pezzè, Bianchi and others:
//! DepCon+).

/// How two operations of a subject depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PairDependency {
    /// Index of one operation.
    pub left: u16,
    /// Index of the other one; may be the same.
    pub right: u16,
    /// One writes what the other one reads or writes.
    pub conflict: bool,
    /// No lock keeps them apart from beginning to end.
    pub parallel: bool,
    /// Each takes, while it holds a lock, a lock that the other one may hold.
    pub deadlock: bool,
    /// Nothing in either operation was beyond the analysis.
    pub exact: bool,
    /// Which of two pairs of the same promise comes first: the one with the higher rank.
    #[cfg_attr(feature = "serde", serde(default))]
    pub rank: u8,
}

/// The dependencies of one subject.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Dependencies {
    /// Index of the subject.
    pub subject: u16,
    /// Pairs that were analysed; of the others nothing is known.
    pub pairs: Vec<PairDependency>,
    /// Three operations that can take three locks in a circle.
    #[cfg_attr(feature = "serde", serde(default))]
    pub circles: Vec<[u16; 3]>,
}

/// How promising a pair is, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// May deadlock.
    Deadlock,
    /// Conflicts, and nothing keeps the two apart.
    Race,
    /// Nothing is known, or the analysis was not exact.
    Unknown,
    /// Proved to be unable to disturb each other.
    Unrelated,
}

impl PairDependency {
    /// The promise of the pair.
    #[must_use]
    pub fn promise(&self) -> Promise {
        if self.deadlock {
            Promise::Deadlock
        } else if self.conflict && self.parallel {
            Promise::Race
        } else if self.exact {
            Promise::Unrelated
        } else {
            Promise::Unknown
        }
    }
}
