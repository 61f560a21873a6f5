//! Bugs, with everything a report needs, and which of them are not reported.

#[cfg(feature = "explore")]
mod allowed;
#[expect(clippy::module_inception, reason = "the type of the room")]
mod finding;
#[cfg(feature = "explore")]
mod known_bug;
mod places;
mod step_facts;

#[cfg(feature = "explore")]
pub use allowed::Allowed;
pub use finding::{CancelledCall, Compared, Finding, FindingKind, InterleavingStep, Level, Turns};
#[cfg(feature = "explore")]
pub use known_bug::{KnownBug, contains};
pub use places::interruptions;
pub use step_facts::{LinkKind, StepEffect, StepFacts, StepLink};
