//! Results that their thread keeps over further calls: guards, permits, transactions, iterators.

/// What an operation does with a kept result. A call that keeps one is an operation beside the plain one, and letting
/// it go is an operation too: so tests with kept results are tests like others, which are minimised and replayed as
/// those are. One thread of a test keeps one result, between these two calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Keeping {
    /// Nothing: what it returns is dropped at the end of the call.
    #[default]
    No,
    /// Its result is kept.
    Keeps,
    /// It drops what is kept.
    LetsGo,
}
