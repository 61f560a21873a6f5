//! Bugs, with everything a report needs, and which of them are not reported.

#[cfg(feature = "explore")]
mod allowed;
#[expect(clippy::module_inception, reason = "the type of the room")]
mod finding;
mod step_facts;

#[cfg(feature = "explore")]
pub use allowed::Allowed;
pub use finding::{CancelledCall, Finding, FindingKind, InterleavingStep, Turns};
pub use step_facts::{LinkKind, StepEffect, StepFacts, StepLink};
