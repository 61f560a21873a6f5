//! The reports that are files. That they can be written is looked at before anything slow.

use std::fmt::Display;
use std::path::Path;

use super::explore::EmittedFinding;
use super::failure::Failure;
use crate::cli::exit_code::ExitCode;
use crate::cli::options::RunOptions;
use contest_build::workspace::scratch_dir::WriteError;
use contest_catalog::reasons::Reason;
use contest_report::html::{self, HtmlReport};
use contest_report::run_summary::RunSummary;
use contest_report::{Reporter, junit, sarif, trace_events};

/// Looks whether every report can be written. Nothing is left behind.
///
/// # Errors
/// Names the first option whose file or directory cannot be made.
pub(super) fn check(options: &RunOptions) -> Result<(), Failure> {
    let files = [
        ("--junit", &options.junit),
        ("--sarif", &options.sarif),
        ("--trace", &options.trace),
    ];
    for (option, path) in files {
        if let Some(path) = path {
            if path.is_dir() {
                return Err(unwritable(option, path, "it is a directory"));
            }
            is_writable(path.parent()).map_err(|why| unwritable(option, path, why))?;
        }
    }
    if let Some(directory) = &options.html {
        is_writable(Some(directory)).map_err(|why| unwritable("--html", directory, why))?;
    }
    Ok(())
}

/// Whether files can be made in this directory, or in the nearest above it that is there.
fn is_writable(directory: Option<&Path>) -> std::io::Result<()> {
    let above = directory.into_iter().flat_map(Path::ancestors);
    let mut there = above.filter(|path| !path.as_os_str().is_empty() && path.exists());
    tempfile::tempfile_in(there.next().unwrap_or(Path::new("."))).map(drop)
}

fn unwritable(option: &str, path: &Path, why: impl Display) -> Failure {
    // `tempfile` adds the name of its own file.
    let why = why.to_string();
    let why = why.split(" at path ").next().unwrap_or_default();
    let text = format!(
        "{option}: cannot write {}: {why}; choose another place",
        path.display()
    );
    Failure::new(ExitCode::Usage, text)
}

/// Writes every report; one that cannot be written does not keep the others from it.
///
/// # Errors
/// Names all options whose reports could not be written.
pub(super) fn write(
    options: &RunOptions,
    summary: &RunSummary,
    findings: &[EmittedFinding],
    left_out: &[Reason],
    reporter: &Reporter,
) -> Result<(), Failure> {
    let replay = reporter.again("replay");
    let mut failed: Vec<String> = Vec::new();
    let mut note = |option: &str, path: &Path, result: Result<(), WriteError>| {
        if let Err(error) = result {
            failed.push(unwritable(option, path, error.source).message);
        }
    };
    if let Some(path) = &options.junit {
        note(
            "--junit",
            path,
            junit::write(path, summary, findings, &replay, reporter.sources()),
        );
    }
    if let Some(path) = &options.sarif {
        note("--sarif", path, sarif::write(path, findings));
    }
    if let Some(path) = &options.trace {
        note("--trace", path, trace_events::write(path, findings));
    }
    if let Some(directory) = &options.html {
        let report = HtmlReport {
            summary,
            findings,
            left_out,
            sources: reporter.sources(),
            replay: &replay,
        };
        note("--html", directory, html::write(directory, &report));
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(ExitCode::Usage, failed.join("\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_is_not_there_yet_is_writable_if_the_one_above_it_is() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("file");
        std::fs::write(&file, "").unwrap();
        is_writable(Some(&scratch.path().join("a/b/c"))).unwrap();
        is_writable(Some(Path::new(""))).unwrap();
        assert!(is_writable(Some(&file)).is_err());
        assert!(is_writable(Some(&file.join("pages"))).is_err());
        let left: Vec<_> = std::fs::read_dir(scratch.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }

    #[test]
    fn the_message_names_the_option_and_no_temporary_file() {
        let why = "No space left on device (os error 28) at path \"/x/.tmp1\"";
        let failure = unwritable("--sarif", Path::new("a.sarif"), why);
        assert_eq!(failure.code, ExitCode::Usage);
        assert_eq!(
            failure.message,
            "--sarif: cannot write a.sarif: No space left on device (os error 28); choose another place"
        );
    }
}
