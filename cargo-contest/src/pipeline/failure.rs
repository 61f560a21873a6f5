//! Errors of all stages, each with its exit status.

use crate::campaign::CampaignError;
use crate::cli::exit_code::ExitCode;
use crate::cli::options::UsageError;
use crate::cli::settings::SettingsError;
use crate::emit::EmitError;
use crate::harness::HarnessError;
use crate::instrument::facade_build::FacadeError;

/// Why a command ends early: what people are told, and the exit status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Exit status.
    pub code: ExitCode,
    /// For people; empty if everything was said.
    pub message: String,
}

impl Failure {
    /// Pairs the two.
    pub fn new(code: ExitCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// Ctrl-C before there was anything to report.
    #[must_use]
    pub fn interrupted() -> Self {
        Self::new(ExitCode::Interrupted, "interrupted")
    }
}

impl From<UsageError> for Failure {
    fn from(error: UsageError) -> Self {
        Self::new(ExitCode::Usage, error.to_string())
    }
}

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Self {
        Self::new(ExitCode::Usage, error.to_string())
    }
}

impl From<EmitError> for Failure {
    fn from(error: EmitError) -> Self {
        Self::new(ExitCode::ToolFailed, error.to_string())
    }
}

impl From<HarnessError> for Failure {
    fn from(error: HarnessError) -> Self {
        let code = match &error {
            HarnessError::SubjectDoesNotBuild { .. }
            | HarnessError::NotInstrumentable { .. }
            | HarnessError::Offline(_)
            | HarnessError::Toolchain(_)
            | HarnessError::Runtime(FacadeError::DoesNotBuild { .. } | FacadeError::Offline(_)) => {
                ExitCode::BuildFailed
            }
            HarnessError::NothingCompiles(_) => ExitCode::NothingToTest,
            HarnessError::Write(_)
            | HarnessError::Runtime(_)
            | HarnessError::Cargo(..)
            | HarnessError::Driver { .. } => ExitCode::ToolFailed,
        };
        Self::new(code, error.to_string())
    }
}

impl From<CampaignError> for Failure {
    fn from(error: CampaignError) -> Self {
        Self::new(ExitCode::ToolFailed, error.to_string())
    }
}
