//! What a run took over from earlier ones, for its report.

use std::time::Duration;

/// What a run took over from earlier ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateSummary {
    /// Number of this run, counting from 1.
    pub run: u32,
    /// Exploration time of all runs that came to their end.
    pub elapsed: Duration,
    /// The run before was killed: its last tests are those of its black box, or else of its last report.
    pub after_kill: bool,
    /// Tests of earlier runs that were not run again.
    pub tests_before: u64,
    /// Of these, paused ones whose exploration went on.
    pub gone_on: u64,
    /// Types that were explored before and whose code has changed since.
    pub changed: Vec<String>,
    /// Types that had not been explored before.
    pub new_types: usize,
    /// Types explored before of which nothing has changed.
    pub unchanged: usize,
    /// Findings of earlier runs that still show.
    pub open: usize,
    /// Those that were mended.
    pub mended: Vec<String>,
    /// Those of which it is not known, with the reason.
    pub unclear: Vec<String>,
    /// Those that there was no time for.
    pub not_replayed: usize,
    /// What could not be read or written.
    pub problems: Vec<String>,
}

impl StateSummary {
    /// Adds what a run over another package took over.
    pub fn add(&mut self, other: Self) {
        self.run = self.run.max(other.run);
        self.elapsed += other.elapsed;
        self.after_kill |= other.after_kill;
        self.tests_before += other.tests_before;
        self.gone_on += other.gone_on;
        self.changed.extend(other.changed);
        self.new_types += other.new_types;
        self.unchanged += other.unchanged;
        self.open += other.open;
        self.mended.extend(other.mended);
        self.unclear.extend(other.unclear);
        self.not_replayed += other.not_replayed;
        self.problems.extend(other.problems);
    }
}
