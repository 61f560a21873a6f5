//! Code of users that runs inside of a call: closures that it is given.

/// What the closures of an operation do beside their work. A call with such closures is an operation beside the plain
/// one, so tests with them are tests like others, which are minimised and replayed as those are. No shape of the ladder
/// has them. Closures that only take their time are no kind of their own: every visible step is a choice of the
/// scheduler, wherever it is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UserCode {
    /// Nothing.
    #[default]
    Plain,
    /// They panic, and the caller catches that.
    Panics,
    /// They call the object, which is under way in the call that runs them.
    ComesBack,
}
