//! What an emitted test shows when it is run again.

/// What an emitted test shows when it is run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmittedResult {
    /// No bug, or one that is allowed.
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

    /// The bug, or why its schedule does not fit; empty if there is none.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Passes => "",
            Self::Warns(text) | Self::Fails(text) => text,
        }
    }
}
