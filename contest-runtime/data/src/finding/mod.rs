//! Bugs, with everything a report needs, and which of them are not reported.

#[cfg(feature = "explore")]
mod allowed;
#[expect(clippy::module_inception, reason = "the type of the room")]
mod finding;

#[cfg(feature = "explore")]
pub use allowed::Allowed;
pub use finding::{Finding, FindingKind, InterleavingStep};
