//! How a test is run.

use std::path::PathBuf;
use std::time::Duration;

/// How a test is run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Stack of a virtual thread in bytes; default 1 MiB, committed on touch.
    pub stack_size: usize,
    /// Where the failing schedule goes.
    pub failure_persistence: FailurePersistence,
    /// Most visible operations of one execution.
    pub max_steps: MaxSteps,
    /// Most time for all executions together.
    pub max_time: Option<Duration>,
    /// Accepted and without effect: there are no such warnings.
    pub silence_warnings: bool,
    /// Accepted and without effect: there are no spans.
    pub record_steps_in_span: bool,
    /// Accepted and without effect: an execution that fails is unwound once.
    pub ungraceful_shutdown_config: UngracefulShutdownConfig,
}

/// Where the failing schedule goes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailurePersistence {
    /// Nowhere.
    None,
    /// Into the message of the panic.
    Print,
    /// Into a file in this folder, or in the current one.
    File(Option<PathBuf>),
}

/// Most visible operations of one execution, and what happens then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaxSteps {
    /// No limit but that of the engine, four billion.
    None,
    /// The test fails.
    FailAfter(usize),
    /// The next execution begins.
    ContinueAfter(usize),
}

/// Accepted and without effect.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct UngracefulShutdownConfig {
    /// Accepted and without effect.
    pub immediately_return_on_panic: bool,
    /// Accepted and without effect.
    pub continuation_function_behavior: ContinuationFunctionBehavior,
}

/// Accepted and without effect.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub enum ContinuationFunctionBehavior {
    /// Drop.
    Drop,
    /// Leak.
    #[default]
    Leak,
}

impl Config {
    /// The default: a million steps, the schedule in the panic message.
    #[must_use]
    pub fn new() -> Self {
        Self {
            stack_size: 1 << 20,
            failure_persistence: FailurePersistence::Print,
            max_steps: MaxSteps::FailAfter(1_000_000),
            max_time: None,
            silence_warnings: false,
            record_steps_in_span: false,
            ungraceful_shutdown_config: UngracefulShutdownConfig::default(),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}
