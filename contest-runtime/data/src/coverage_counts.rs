//! Coverage of memory-access patterns as plain numbers.

/// The numbers, as plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CoverageCounts {
    /// Executions looked at.
    pub executions: u64,
    /// Executions, those that were not looked at included.
    pub all_executions: u64,
    /// Different patterns covered.
    pub covered: u64,
    /// Of these, by pattern 1 to 17.
    pub by_pattern: [u64; 17],
    /// Of these, by strategy that has shown them; more than one may have. Where there are no names, empty.
    pub by_strategy: Vec<(String, u64)>,
    /// Upper bound of the patterns there are, with the sites seen so far.
    pub bound: u64,
    /// The same by the paper's formula.
    pub printed_bound: u64,
    /// Covered patterns among the 14 atomic-set ones in which each thread's accesses are in one call.
    pub atomic_set: u64,
    /// Of these, among the 11 of the original list.
    pub atomic_set_popl: u64,
    /// Of these, by pattern 4 to 17.
    pub by_atomic_set: [u64; 14],
    /// Covered patterns that would be among them if the user had not grouped fields: their two locations are in no set
    /// together.
    #[cfg_attr(feature = "serde", serde(default))]
    pub apart: u64,
    /// Sites that access shared variables.
    pub sites: u64,
    /// Variables, identified by their sites.
    pub variables: u64,
    /// What the caps cut off: instances not looked at, patterns not remembered, plain accesses not kept.
    pub capped: u64,
    /// Shared fields with covered patterns, those with most patterns first. Only in the totals at the end of a run.
    #[cfg_attr(feature = "serde", serde(default))]
    pub fields: Vec<FieldMet>,
    /// Further ones.
    #[cfg_attr(feature = "serde", serde(default))]
    pub more_fields: u64,
    /// How coverage grew; the last point is where it stands.
    pub curve: Vec<CurvePoint>,
}

/// A point of the curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CurvePoint {
    /// Executions so far, those that were not looked at included.
    pub executions: u64,
    /// Milliseconds since the first.
    pub milliseconds: u64,
    /// Patterns covered by then.
    pub covered: u64,
}

/// A field, or bytes of a block in which no field is known, that two threads accessed and one wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FieldMet {
    /// `Inner.head`.
    pub field: String,
    /// The lines that read or write it: `write at src/lib.rs:42:9`.
    pub places: Vec<String>,
    /// Further ones.
    pub more_places: u64,
    /// Covered patterns with an access of it.
    pub patterns: u64,
}
