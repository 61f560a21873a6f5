//! The explanation of one kind, as a value.

use contest_data::finding::FindingKind;

/// What is to be known of a kind of finding.
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    /// The kind.
    pub kind: FindingKind,
    /// What it means, in a few sentences.
    pub meaning: &'static str,
    /// How sure it is, and when it is none.
    pub certainty: &'static str,
    /// What to do about it, most common remedy first.
    pub remedies: &'static [&'static str],
    /// A module with a type that has such a bug.
    pub example: &'static str,
}
