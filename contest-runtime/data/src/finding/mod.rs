//! Bugs, with everything a report needs, and which of them are not reported.

mod allowed;
#[expect(clippy::module_inception, reason = "the type of the room")]
mod finding;

pub use allowed::Allowed;
pub use finding::{Finding, FindingKind, InterleavingStep};
