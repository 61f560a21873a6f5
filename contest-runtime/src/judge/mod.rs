//! Executions and sequential outcomes in, verdicts out.

pub mod finding;

pub use finding::{Finding, FindingKind, InterleavingStep};
