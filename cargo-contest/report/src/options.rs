//! Where and how results are shown.

use std::path::PathBuf;

/// What results are written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Readable text on standard output.
    #[default]
    Human,
    /// The same, with ten lines for a finding.
    Short,
    /// One object per line on standard output.
    Json,
    /// The messages of `cargo check --message-format json`, and findings as such messages.
    CargoJson,
    /// For programs that read text: a finding in few lines with the next commands, a run in two.
    Agent,
}

/// A run of GitHub Actions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GithubRun {
    /// The checkout.
    pub workspace: Option<PathBuf>,
    /// The file to which the summary of a step is added.
    pub step_summary: Option<PathBuf>,
}

/// Where and how results are shown.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// What is on standard output; beside lines for machines, readable text is on standard error.
    pub format: Format,
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
        self.format == Format::Json
    }

    /// Messages as cargo prints them.
    pub(super) fn is_cargo_json(&self) -> bool {
        self.format == Format::CargoJson
    }

    /// Few words.
    pub(super) fn is_for_agents(&self) -> bool {
        self.format == Format::Agent
    }

    /// Standard output is for machines.
    pub(super) fn is_for_machines(&self) -> bool {
        self.is_json() || self.is_cargo_json() || self.output_is_taken
    }
}
