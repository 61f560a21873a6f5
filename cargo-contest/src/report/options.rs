//! Where and how results are shown.

use std::path::PathBuf;

use crate::cli::args::MessageFormat;
use crate::cli::options::GithubRun;

/// Where and how results are shown.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// What is on standard output; beside lines for machines, readable text is on standard error.
    pub format: MessageFormat,
    /// Standard output is for something else: text is on standard error.
    pub output_is_taken: bool,
    /// Colours: yes, no, or if the stream is a terminal.
    pub color: Option<bool>,
    /// Findings and one line of result only.
    pub quiet: bool,
    /// A line of progress, if standard error is a terminal.
    pub progress: bool,
    /// Everything that was left out, and statistics.
    pub verbose: bool,
    /// Annotations and a summary for the page of a run of GitHub Actions.
    pub github: Option<GithubRun>,
    /// Where cargo keeps the sources of dependencies.
    pub cargo_home: Option<PathBuf>,
    /// Width of tables, overriding the terminal's.
    pub columns: Option<usize>,
    /// How a user calls this tool for this package again: `cargo contest replay -p dashmap`, with `{}` for the command.
    pub again: String,
}

impl ReportOptions {
    /// JSON lines of the contract.
    pub(super) fn is_json(&self) -> bool {
        self.format == MessageFormat::Json
    }

    /// Messages as cargo prints them.
    pub(super) fn is_cargo_json(&self) -> bool {
        self.format == MessageFormat::CargoJson
    }

    /// Few words.
    pub(super) fn is_for_agents(&self) -> bool {
        self.format == MessageFormat::Agent
    }

    /// Standard output is for machines.
    pub(super) fn is_for_machines(&self) -> bool {
        self.is_json() || self.is_cargo_json() || self.output_is_taken
    }
}
