//! `--strategy loom`: the package's own tests, which hold its annotated types or models, built with loom's types and
//! run by loom.
//!
//! Generated tests of unmodified crates cannot run there: loom's types must be in the code under test.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::arguments::{cargo_arguments, features};
use super::failure::Failure;
use super::prepare;
use crate::cli::args::{CommonArgs, RunArgs};
use crate::cli::exit_code::ExitCode;
use crate::cli::options::UsageError;
use contest_build::workspace::cargo_metadata::cargo;
use contest_build::workspace::lock_file_watch::OwnCommand;
use contest_build::workspace::logged_command::log_start;
use contest_catalog::progress_event::ProgressEvent;
use contest_catalog::run_budget::RunBudget;
use contest_report::Reporter;

/// Limits of a clean result.
const LIMITS: &str = "under loom: at most 5 threads; loads and stores that are SeqCst count as Acquire and Release only; no load buffering; timeouts never fire; \
     a test that uses neither `contest::check` nor a model is run as it is; of the options of `run`, only those about the package, `--budget` and `--seed` \
     count, and results are the tests' own text, not a report";

/// True if the tests are for loom to run.
pub(super) fn is_requested(arguments: &RunArgs) -> bool {
    arguments.strategy.as_deref() == Some("loom")
}

/// Builds the tests, then runs them. What they print goes to standard error: standard output belongs to the reports.
pub(super) fn run(
    common: &CommonArgs,
    arguments: &RunArgs,
    reporter: &mut Reporter,
) -> Result<ExitCode, Failure> {
    if let Some(RunBudget::Steps(_)) = arguments.budget {
        return Err(UsageError::StepsOf("loom").into());
    }
    let package = prepare::select(common)?;
    let Some(dependency) = &package.runtime_dependency else {
        return Err(Failure::new(
            ExitCode::Usage,
            UsageError::OfTests.to_string(),
        ));
    };
    if !arguments.types.is_empty() {
        return Err(Failure::new(
            ExitCode::Usage,
            "strategy `loom` runs the tests of the package, whatever types they are about; omit the types",
        ));
    }
    let feature = format!("{dependency}/loom");
    let test = |more: &[&str]| {
        let mut command = cargo();
        command
            .args(["test", "-p", &package.id, "--features", &feature])
            .arg("--manifest-path")
            .arg(&package.graph_manifest)
            .args(features(common).arguments())
            .args(cargo_arguments(common))
            .args(more)
            .stdin(Stdio::null());
        if let Some(directory) = &common.target_dir {
            command.arg("--target-dir").arg(directory);
        }
        if let Some(seed) = arguments.seed {
            command.env("CONTEST_SEED", seed.to_string());
        }
        if let Some(RunBudget::Time(budget)) = arguments.budget {
            command.env("CONTEST_BUDGET", format!("{}ms", budget.as_millis()));
        }
        log_start(&command);
        command
    };
    let _writes = OwnCommand::begin();
    let start = |error| Failure::new(ExitCode::ToolFailed, format!("cannot start cargo: {error}"));
    let step = |text: String| ProgressEvent::Step(text);
    reporter.event(&step(format!(
        "building the tests of {} with loom's types",
        package.name
    )));
    let built = test(&["--no-run"]).stdout(Stdio::null()).status();
    if !built.map_err(start)?.success() {
        return Err(Failure::new(
            ExitCode::BuildFailed,
            format!("the tests do not build with feature `{feature}`; see cargo's messages above"),
        ));
    }
    reporter.event(&step(format!("running cargo test --features {feature}")));
    let mut running = test(&[]).stdout(Stdio::piped()).spawn().map_err(start)?;
    let mut ran = 0;
    if let Some(output) = running.stdout.take() {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            ran += tests_in(&line);
            eprintln!("{line}");
        }
    }
    eprintln!("note: {LIMITS}");
    let passed = running.wait().map_err(start)?.success();
    match (passed, ran) {
        (false, _) => Ok(ExitCode::Findings),
        (true, 0) => Err(Failure::new(
            ExitCode::NothingToTest,
            "nothing to test: the package has no tests; `cargo contest init` writes a first one",
        )),
        (true, _) => Ok(ExitCode::Clean),
    }
}

/// The number of tests in a summary line of libtest: `test result: ok. 3 passed; 0 failed; …`.
fn tests_in(line: &str) -> u64 {
    let Some(result) = line.strip_prefix("test result: ") else {
        return 0;
    };
    let words: Vec<&str> = result.split_whitespace().collect();
    let counts = words.windows(2).filter(|pair| {
        let what = pair[1].trim_end_matches(';');
        what == "passed" || what == "failed"
    });
    counts.filter_map(|pair| pair[0].parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_ran_are_counted_from_the_summary() {
        let line = "test result: FAILED. 2 passed; 1 failed; 4 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        assert_eq!(tests_in(line), 3);
        assert_eq!(tests_in("running 4 tests"), 0);
    }
}
