//! What an object is made of: what implements a trait for a user, or another type.

/// How the parts behave that an object is made of: a manager of connections, a factory, a repository. An object with
/// another mode is made by a constructor beside the usual one, so tests with it are tests like others.
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
    /// A method of a part, which may store what it is given, has been called before.
    Filled,
}
