//! What a rule says about one execution.

use contest_data::finding::FindingKind;
use contest_data::test::CallName;

/// What is thought of one execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing wrong.
    Pass,
    /// Looks wrong and is not: the reason.
    Excused(&'static str),
    /// Nothing can be said soundly: the reason.
    Unjudged(&'static str),
    /// A bug.
    Suspect(Box<Suspicion>),
}

/// A bug as one execution shows it, before it is minimised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Suspicion {
    /// What kind.
    pub kind: FindingKind,
    /// It is a bug only because nothing orders two accesses, which may be ordered by what is not seen.
    pub rests_on_order: bool,
    /// One sentence.
    pub message: String,
    /// Further lines.
    pub details: Vec<String>,
    /// Source locations that matter most.
    pub locations: Vec<String>,
    /// The calls it is about.
    pub calls: Vec<CallName>,
    /// Only results of calls that change nothing are wrong.
    pub only_reads: bool,
}
