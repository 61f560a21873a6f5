//! What the index of a run is about.

use contest_data::finding::Finding;

use crate::run_summary::RunSummary;
use contest_catalog::reasons::Reason;

/// What the index is about.
#[derive(Debug)]
pub(super) struct Contents<'a> {
    pub(super) summary: &'a RunSummary,
    pub(super) findings: &'a [(Finding, Option<String>)],
    /// The name of the page of each finding, if it has one.
    pub(super) pages: &'a [Option<String>],
    /// Why types and methods were left out.
    pub(super) left_out: &'a [Reason],
    pub(super) notes: &'a [String],
}
