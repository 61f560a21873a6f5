//! The exit status: part of the contract, scripts rely on it.

/// Exit status of `cargo contest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// Something was explored and nothing was found; for `replay`, the schedule ran and no bug showed.
    Clean = 0,
    /// At least one finding; for `replay` and `test`, at least one bug showed again.
    Findings = 1,
    /// Wrong arguments, wrong settings, a token or a file that does not fit, or not a crate. Same number as clap's own
    /// errors.
    Usage = 2,
    /// The crate does not build; cargo's own diagnostics were shown.
    BuildFailed = 3,
    /// Nothing was tested: no type, no operation, or nothing was instrumented. Never a silent pass.
    NothingToTest = 4,
    /// A bug of this tool, or a machine that refuses what it needs (a directory that cannot be written).
    ToolFailed = 70,
    /// Stopped by Ctrl-C before anything was found; with findings it is [`ExitCode::Findings`].
    Interrupted = 130,
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}
