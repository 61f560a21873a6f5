//! What a panic of loom or of the code under it means: loom has no other way to say what it found than the text of a
//! panic.

use crate::captured_panic::Captured;
use contest_data::finding::{Finding, FindingKind};

/// The text of results that no order of the calls gives begins so.
pub(crate) const NO_ORDER: &str = "the results match no order of the calls";

fn kind(text: &str) -> FindingKind {
    if text.starts_with(NO_ORDER) {
        FindingKind::NonLinearizable
    } else if text.starts_with("deadlock") {
        FindingKind::Deadlock
    } else if text.starts_with("Causality violation")
        || text.starts_with("currently writing to cell")
        || text.starts_with("currently reading from cell")
    {
        FindingKind::DataRace
    } else if text.contains(" leaked.") {
        FindingKind::Leak
    } else if text.starts_with("invariant `") {
        // The words of `#[contest(invariant)]`; an invariant that panics in words of its own is a panic.
        FindingKind::Invariant
    } else if text.starts_with("Model exceeded maximum number of branches")
        || text.contains("threads.len() <")
    {
        FindingKind::Limit
    } else if text.starts_with("cannot access Loom execution state from outside") {
        FindingKind::Unsupported
    } else {
        FindingKind::Panic
    }
}

impl Captured {
    /// The finding that ended a search in this execution.
    #[must_use]
    pub fn finding(self, execution: u64) -> Finding {
        let text = self.message.trim();
        let kind = kind(text);
        let mut lines = text.lines();
        let message = lines.next().unwrap_or_default();
        let mut details: Vec<String> = (lines.map(str::trim))
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect();
        // Where loom itself panics, or the comparison of results, says nothing about the code.
        let elsewhere = self.location.contains("/loom-") || kind == FindingKind::NonLinearizable;
        let locations: Vec<String> = Some(self.location)
            .filter(|location| !location.is_empty() && !elsewhere)
            .into_iter()
            .collect();
        details.extend(locations.iter().map(|at| format!("at {at}")));
        details.push(format!(
            "found by loom in execution {execution}{}",
            if self.steps.is_empty() {
                "; its interleaving is not known, but it is in the log of loom: LOOM_LOG=trace LOOM_LOCATION=1"
            } else {
                ""
            }
        ));
        Finding {
            details,
            locations,
            interleaving: self.steps,
            executions: execution,
            ..Finding::new(kind, message)
        }
    }
}
