//! Another module.

/// A type without locks and without annotation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Least of them.
    pub least: u64,
}
