//! What came of running a model.

use super::Finding;

/// What came of running a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub(super) executions: u64,
    pub(super) traces: u64,
    pub(super) decisions: u64,
    pub(super) steps: u64,
    pub(super) exhausted: bool,
    pub(super) cut: Option<String>,
    pub(super) findings: Vec<Finding>,
}

impl Report {
    /// Executions that were run.
    #[must_use]
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// Of these, executions that were not given up because all they could still do had been explored before.
    #[must_use]
    pub fn traces(&self) -> u64 {
        self.traces
    }

    /// Scheduling decisions in all executions together: points at which more than one thread could go on, or one of several values
    /// was chosen. Without any, there was nothing to explore.
    #[must_use]
    pub fn decisions(&self) -> u64 {
        self.decisions
    }

    /// Visible operations in all executions together.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// True if every interleaving that can make a difference was run, within the bounds that were set.
    #[must_use]
    pub fn exhausted(&self) -> bool {
        self.exhausted
    }

    /// Why not every interleaving was run, if so.
    #[must_use]
    pub fn cut(&self) -> Option<&str> {
        self.cut.as_deref()
    }

    /// The interleavings that fail.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}
