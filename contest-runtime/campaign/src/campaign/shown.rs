//! An execution that looks like a bug.

use crate::judge::{History, Suspicion};
use contest_data::trace::ExecutionRecord;

/// An execution that looks like a bug.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub suspicion: Suspicion,
    pub record: ExecutionRecord,
    pub history: History,
}
