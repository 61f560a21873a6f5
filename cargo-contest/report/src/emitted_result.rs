//! Results of emitted tests, each run once under its schedule.

use contest_data::finding::Level;

/// What an emitted test shows when it is run again; the worst comes last.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum EmittedResult {
    /// No bug, or one that is allowed.
    #[default]
    Passes,
    /// A bug of a kind that is only warned of.
    Warns(String),
    /// A bug, or its schedule does not fit any more.
    Fails(String),
}

impl EmittedResult {
    /// True if it fails the run.
    #[must_use]
    pub fn fails(&self) -> bool {
        matches!(self, Self::Fails(_))
    }

    /// The level of what it shows, if that is a bug.
    #[must_use]
    pub fn level(&self) -> Option<Level> {
        match self {
            Self::Passes => None,
            Self::Warns(_) => Some(Level::Warning),
            Self::Fails(_) => Some(Level::Error),
        }
    }

    /// The bug, or why its schedule does not fit; empty if there is none.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Passes => "",
            Self::Warns(text) | Self::Fails(text) => text,
        }
    }
}
