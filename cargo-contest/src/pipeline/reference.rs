//! Commands that need no package: what a kind of finding means, what differs between two runs, completions,
//! the manual page, the skill.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
use clap_complete::Shell;
use contest_data::finding::FindingKind;

use super::earlier_results::earlier_results;
use super::failure::Failure;
use crate::cli::args::CommandLine;
use crate::cli::exit_code::ExitCode;
use contest_report::Reporter;
use contest_report::difference::Difference;
use contest_report::explain;
use contest_report::merged::Merged;

/// The executable, as the shell knows it.
const NAME: &str = "cargo-contest";
/// When to use which command, how to read a finding, how to verify.
const SKILL: &str = include_str!("../../skill/SKILL.md");

/// `cargo contest explain`: one kind, or which there are.
pub(super) fn explain(kind: Option<FindingKind>, reporter: &mut Reporter) -> ExitCode {
    let Some(kind) = kind else {
        for about in explain::all() {
            reporter.kind(about);
        }
        return ExitCode::Clean;
    };
    if let Some(about) = explain::of(kind) {
        reporter.explanation(about);
    }
    ExitCode::Clean
}

/// `cargo contest diff`.
pub(super) fn difference(
    old: &Path,
    new: &Path,
    reporter: &mut Reporter,
) -> Result<ExitCode, Failure> {
    let difference = Difference::of(&earlier_results(old)?, &earlier_results(new)?);
    reporter.difference(&difference);
    Ok(if difference.new.is_empty() {
        ExitCode::Clean
    } else {
        ExitCode::Findings
    })
}

/// `cargo contest merge`.
pub(super) fn merge(parts: &[PathBuf], reporter: &mut Reporter) -> Result<ExitCode, Failure> {
    let merged = Merged::read(parts)?;
    reporter.merged(&merged, true);
    if merged.any_failed() {
        return Ok(ExitCode::Findings);
    }
    if !merged.incomplete.is_empty() {
        let why =
            "not every part is the whole result of a run, so that nothing was found says little";
        return Err(Failure::new(ExitCode::NothingToTest, why));
    }
    Ok(if merged.is_empty() {
        ExitCode::NothingToTest
    } else {
        ExitCode::Clean
    })
}

/// `cargo contest completions`.
pub(super) fn completions(shell: Shell) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut CommandLine::command(), NAME, &mut script);
    print(&script)
}

/// `cargo contest man`.
pub(super) fn manual() -> Result<ExitCode, Failure> {
    let mut page = Vec::new();
    let command = CommandLine::command().name(NAME);
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(failed)?;
    print(&page)
}

/// `cargo contest skill`.
pub(super) fn skill() -> Result<ExitCode, Failure> {
    print(SKILL.as_bytes())
}

/// A closed pipe (`| head`) is no failure.
fn print(text: &[u8]) -> Result<ExitCode, Failure> {
    match io::stdout().write_all(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(failed(error)),
        _ => Ok(ExitCode::Clean),
    }
}

fn failed(error: io::Error) -> Failure {
    Failure::new(
        ExitCode::ToolFailed,
        format!("cannot write to standard output: {error}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::parse;

    /// The words of a command as a shell has them; `'…'` is one.
    fn words(command: &str) -> Vec<String> {
        let mut parts = command.split('\'');
        let mut words = Vec::new();
        while let Some(plain) = parts.next() {
            words.extend(plain.split_whitespace().map(str::to_owned));
            words.extend(parts.next().map(str::to_owned));
        }
        words
    }

    #[test]
    fn every_command_of_the_skill_is_one() {
        let text = SKILL.replace("\\|", "|").replace("KIND", "deadlock");
        let commands: Vec<&str> = (text.split('`').skip(1).step_by(2))
            .filter(|it| it.starts_with("cargo contest "))
            .collect();
        assert!(commands.len() > 12, "{commands:?}");
        for command in commands {
            let words = words(command);
            let parsed = parse(&words[1..]);
            assert!(parsed.is_ok(), "{command}: {}", parsed.unwrap_err());
        }
        assert!(SKILL.starts_with("---\nname: cargo-contest\ndescription: "));
        assert!(SKILL.lines().count() < 80);
    }
}
