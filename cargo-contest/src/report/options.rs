//! Where and how results are shown.

use std::path::PathBuf;

use crate::cli::options::GithubRun;

/// Where and how results are shown.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// JSON lines on standard output and readable text on standard error, instead of readable text on standard output.
    pub json: bool,
    /// Colours: yes, no, or if the stream is a terminal.
    pub color: Option<bool>,
    /// Findings and one line of result only.
    pub quiet: bool,
    /// A line of progress, if standard error is a terminal.
    pub progress: bool,
    /// Everything that was left out, and statistics.
    pub verbose: bool,
    /// Ten lines for a finding.
    pub short: bool,
    /// Annotations and a summary for the page of a run of GitHub Actions.
    pub github: Option<GithubRun>,
    /// Where cargo keeps the sources of dependencies.
    pub cargo_home: Option<PathBuf>,
    /// Width of tables, overriding the terminal's.
    pub columns: Option<usize>,
    /// How a user calls this tool for this package again: `cargo contest replay -p dashmap`, with `{}` for the command.
    pub again: String,
}
