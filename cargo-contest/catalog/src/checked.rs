//! Comparisons of summaries with runs, counted.

/// What became of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Facts that were compared with exact summaries.
    pub compared: usize,
    /// Facts about operations whose summaries are inexact: they may do more than is known.
    pub inexact: usize,
    /// Facts in other packages.
    pub elsewhere: usize,
    /// Facts that were not kept, because there were too many.
    pub dropped: u64,
    /// What exact summaries do not allow, in words.
    pub wrong: Vec<String>,
}

impl Checked {
    /// Adds another comparison.
    pub fn add(&mut self, other: Self) {
        self.compared += other.compared;
        self.inexact += other.inexact;
        self.elsewhere += other.elsewhere;
        self.dropped += other.dropped;
        self.wrong.extend(other.wrong);
    }
}
