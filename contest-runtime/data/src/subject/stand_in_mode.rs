//! What implements a trait for a user, inside of an object.

/// How the user's side of an object behaves: a manager of connections, a factory, a handler. An object with another
/// mode is made by a constructor beside the usual one, so tests with it are tests like others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum StandInMode {
    /// All is in order and comes at once, or nothing is known of it.
    #[default]
    Usual,
    /// Its futures wait once. Only so is a call of the object stopped while it waits for its user.
    Waits,
    /// A first call fails, or answers otherwise.
    Differs,
}
