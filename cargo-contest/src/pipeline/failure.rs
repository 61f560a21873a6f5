//! Errors of all stages, each with its exit status.

use tracing::debug;

use crate::cli::exit_code::ExitCode;
use crate::cli::options::UsageError;
use crate::cli::settings::SettingsError;
use crate::emit::EmitError;
use crate::init::InitError;
use contest_build::instrument::facade_build::FacadeError;
use contest_build::workspace::scratch_dir::WriteError;
use contest_build::workspace::selection::SelectionError;
use contest_discover::DiscoverError;
use contest_discover::rustdoc_json::RustdocError;
use contest_drive::campaign::CampaignError;
use contest_drive::harness::HarnessError;
use contest_drive::harness::missing_symbols::missing_symbols;
use contest_report::results::ResultsError;

/// Why a command ends early: the message, and the exit status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Exit status.
    pub code: ExitCode,
    /// The message; empty if everything has been reported.
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

    /// Ctrl-C before there was a result to report.
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

impl From<ResultsError> for Failure {
    fn from(error: ResultsError) -> Self {
        Self::new(ExitCode::Usage, error.to_string())
    }
}

impl From<InitError> for Failure {
    fn from(error: InitError) -> Self {
        let code = match &error {
            InitError::Write { .. } => ExitCode::ToolFailed,
            _ => ExitCode::Usage,
        };
        Self::new(code, error.to_string())
    }
}

impl From<SelectionError> for Failure {
    fn from(error: SelectionError) -> Self {
        let code = match &error {
            SelectionError::Metadata(_)
            | SelectionError::NoMatch(..)
            | SelectionError::SeveralMatch(..)
            | SelectionError::Choose(_)
            | SelectionError::NoFeature(_)
            | SelectionError::Pattern(..) => ExitCode::Usage,
            SelectionError::NoLibrary(_)
            | SelectionError::ProcMacro(_)
            | SelectionError::NoMember(_) => ExitCode::NothingToTest,
            SelectionError::Start(_) | SelectionError::Answer(_) => ExitCode::ToolFailed,
        };
        Self::new(code, with_sources(&error))
    }
}

impl From<DiscoverError> for Failure {
    fn from(error: DiscoverError) -> Self {
        let code = match &error {
            DiscoverError::Rustdoc(
                RustdocError::DoesNotBuild { .. } | RustdocError::Format { .. },
            ) => ExitCode::BuildFailed,
            _ => ExitCode::ToolFailed,
        };
        Self::new(code, with_sources(&error))
    }
}

/// An error and what caused it, in one line.
fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

impl From<EmitError> for Failure {
    fn from(error: EmitError) -> Self {
        Self::new(ExitCode::ToolFailed, error.to_string())
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Self::new(ExitCode::ToolFailed, error.to_string())
    }
}

impl From<HarnessError> for Failure {
    fn from(error: HarnessError) -> Self {
        let code = match &error {
            HarnessError::SubjectDoesNotBuild { .. }
            | HarnessError::NotInstrumentable { .. }
            | HarnessError::Setting { .. }
            | HarnessError::Offline(_)
            | HarnessError::Toolchain(_)
            | HarnessError::Runtime(FacadeError::DoesNotBuild { .. } | FacadeError::Offline(_)) => {
                ExitCode::BuildFailed
            }
            // A crate with a panic handler or an allocator of its own; a driver needs those of std.
            HarnessError::Driver {
                package,
                diagnostics,
            } if diagnostics.contains("duplicate lang item")
                || diagnostics.contains("conflicts with global allocator") =>
            {
                return Self::new(
                    ExitCode::BuildFailed,
                    format!(
                        "`{package}` cannot be linked with a driver, which needs std's panic handler and an allocator of its own\n{diagnostics}"
                    ),
                );
            }
            // A library that is not installed, or flags that the linker does not know: a problem of the user's
            // environment.
            HarnessError::Driver {
                package,
                diagnostics,
            } if diagnostics.contains("error: linking with `") => {
                // Forty lines of a linker say no more than the names.
                let why = match missing_symbols(diagnostics) {
                    Some(missing) => {
                        debug!("{diagnostics}");
                        format!(
                            ": a program has to provide {missing}; --log debug shows the linker's own words"
                        )
                    }
                    None => format!("\n{diagnostics}"),
                };
                return Self::new(
                    ExitCode::BuildFailed,
                    format!(
                        "`{package}` compiles, but an executable with it cannot be linked{why}"
                    ),
                );
            }
            HarnessError::NothingCompiles(_) => ExitCode::NothingToTest,
            HarnessError::Refused(_) => ExitCode::Usage,
            HarnessError::Write(_)
            | HarnessError::Runtime(_)
            | HarnessError::Cargo(..)
            | HarnessError::OtherTests(_)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undefined_symbol_is_one_line() {
        let diagnostics = "error: linking with `cc` failed: exit status: 1\n  = note: \"cc\" …\n  \
                           = note: rust-lld: error: undefined symbol: interrupts_off\n >>> referenced by lib.rs:4\n \
                           >>> missing.o:(get) in archive /deps/libboard-3aa9e9ca6b8073bd.rlib";
        let failure = Failure::from(HarnessError::Driver {
            package: "board".to_owned(),
            diagnostics: diagnostics.to_owned(),
        });
        assert_eq!(
            failure.message,
            "`board` compiles, but an executable with it cannot be linked: a program has to provide `interrupts_off` of \
             crate board; --log debug shows the linker's own words"
        );
    }
}
