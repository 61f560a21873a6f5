//! What a method marked as invariant returns.

use std::fmt::Debug;

/// Says whether an invariant holds: `bool`, `Result<(), E>`, or `()`, which holds unless it panics.
#[diagnostic::on_unimplemented(
    message = "an invariant returns `bool`, `Result<(), E>` or nothing",
    label = "returned here: `{Self}`"
)]
pub trait Holds {
    /// Panics if it does not.
    ///
    /// # Panics
    /// With this text if the invariant does not hold.
    fn check(self, broken: &str);
}

impl Holds for bool {
    #[track_caller]
    fn check(self, broken: &str) {
        assert!(self, "{broken}");
    }
}

impl Holds for () {
    fn check(self, _: &str) {}
}

impl<E: Debug> Holds for Result<(), E> {
    #[track_caller]
    fn check(self, broken: &str) {
        if let Err(error) = self {
            panic!("{broken}: {error:?}");
        }
    }
}
