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
    /// Why not every interleaving was run; only where this crate's engine ran the model.
    #[cfg(feature = "explore")]
    pub(super) gaps: contest_data::gap::Gaps,
    pub(super) findings: Vec<Finding>,
    pub(super) repeated: u64,
    pub(super) tolerated: u64,
    pub(super) cut_executions: u64,
    pub(super) given_up: u64,
    pub(super) held_back: u64,
    pub(super) replay: bool,
    pub(super) runs: u64,
    pub(super) limits: Vec<String>,
    /// The first finding is a deadlock of threads that wait for another one, which may be unseen.
    pub(super) needs_other_thread: bool,
}

impl Report {
    /// Executions that were explored; those that were run a second time count once, see [`repeated`](Self::repeated).
    #[must_use]
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// How often the closure was run in all: the executions, and runs that made failing ones smaller or confirmed them.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Of the executions, those that were not given up because all they could still do had been explored before.
    #[must_use]
    pub fn traces(&self) -> u64 {
        self.traces
    }

    /// Scheduling decisions in all executions together: points at which more than one thread could go on, or one of
    /// several values was chosen. Without any, there was nothing to explore.
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

    /// Of the executions, those that were run a second time to see whether the model does the same again.
    #[must_use]
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    /// Executions that failed in a way that [`Builder::tolerate`](super::Builder::tolerate) allows.
    #[must_use]
    pub fn tolerated(&self) -> u64 {
        self.tolerated
    }

    /// Threads that could not be unwound after their execution was over, because a destructor waits for ever or panics;
    /// what they owned is leaked.
    #[must_use]
    pub fn given_up(&self) -> u64 {
        self.given_up
    }

    /// Executions in which a thread that spun waited until another one changed what it reads, by an exhaustive
    /// strategy. What it would do if it gave up its loop before is not explored, and [`exhausted`](Self::exhausted)
    /// does not speak of that.
    #[must_use]
    pub fn held_back(&self) -> u64 {
        self.held_back
    }

    /// What the engine that ran the model cannot see or does differently, for people: of the loom backend.
    #[must_use]
    pub fn limits(&self) -> &[String] {
        &self.limits
    }

    /// The interleavings that fail.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

#[cfg(feature = "explore")]
impl Report {
    /// Says what is missing once nothing more is run.
    pub(super) fn conclude(&mut self) {
        self.exhausted = self.gaps.is_empty();
        self.cut = (!self.exhausted).then(|| self.gaps.to_string());
    }

    /// Takes an execution in.
    pub(super) fn count(&mut self, record: &contest_data::trace::ExecutionRecord) {
        self.executions += 1;
        self.steps += u64::from(record.steps);
        self.decisions += record.schedule.decisions.len() as u64;
    }
}
