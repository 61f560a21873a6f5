//! What a stage left out, and why. Nothing is dropped silently.

/// Something left out.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Skipped {
    /// What: a path, an operation, a file.
    pub item: String,
    /// Why, as a lower-case fragment without a final dot.
    pub why: String,
}

impl Skipped {
    /// An item and the reason why it was left out.
    #[must_use]
    pub fn new(item: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            item: item.into(),
            why: why.into(),
        }
    }
}
