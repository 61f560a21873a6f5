//! `cargo contest nextest`: cargo-nextest builds and runs the tests, and calls this tool for each of them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{fs, io};

use super::failure::Failure;
use super::member::Discovered;
use super::members::packages;
use super::nextest_test::{Handed, SETTINGS};
use super::{arguments, build_progress, members, prepare};
use crate::cli::args::{CommonArgs, NextestArgs, RunArgs};
use crate::cli::exit_code::ExitCode;
use crate::cli::options;
use contest_build::workspace::scratch_dir::make_directory;
use contest_catalog::run_budget::RunBudget;
use contest_catalog::skipped::Skipped;
use contest_drive::harness::kept_driver::forget;
use contest_drive::harness::nextest::{
    NextestCommand, NextestWorkspace, is_installed, nextest as command_of,
};
use contest_report::Reporter;
use contest_report::merged::{Merged, files_of};

const NOT_INSTALLED: &str = "cargo-nextest is not installed: `cargo install cargo-nextest --locked`, or a binary from \
     https://get.nexte.st; `cargo contest test` runs the same tests without it";

const NOTHING_EXPLORED: &str = "the tests passed as they are, and none of them was explored; emitted tests have schedules \
     of their own: `cargo contest test` runs them";

/// Parts of the generated tests of a type.
const PARTS: u32 = 2;
/// Time for one of them.
const PART_BUDGET: Duration = Duration::from_secs(10);

/// Exit statuses of nextest.
mod status {
    pub(super) const NO_TESTS: i32 = 4;
    pub(super) const TESTS_FAILED: i32 = 100;
    pub(super) const BUILD_FAILED: i32 = 101;
}

pub(super) fn nextest(
    common: &CommonArgs,
    arguments: &NextestArgs,
    reporter: &mut Reporter,
) -> Result<ExitCode, Failure> {
    let settings = options::own_tests(&arguments.exploration)?;
    let workspace = prepare::workspace(common)?;
    if !is_installed(&workspace.root) {
        return Err(Failure::new(ExitCode::Usage, NOT_INSTALLED));
    }
    let contest = workspace.target_directory.join("contest");
    make_directory(&contest)?;
    let results = tempfile::Builder::new()
        .prefix("nextest-")
        .tempdir_in(&contest)
        .map_err(|error| cannot("make a directory in", &contest, &error))?;
    let handed = Handed {
        settings,
        results: results.path().to_owned(),
    };
    let options = arguments::nextest_options(&workspace, common)?;
    let NextestCommand {
        mut command,
        target,
    } = command_of(
        NextestWorkspace {
            root: &workspace.root,
            target_directory: &workspace.target_directory,
            lock_file: &workspace.lock_file,
        },
        &options,
        &with_selection(common, &arguments.arguments)?,
        arguments.generated,
        &mut |event| {
            if let Some(event) = build_progress::progress("the workspace", event) {
                reporter.event(&event);
            }
        },
    )?;
    if let Some(target) = &target {
        // Those of an earlier command would take part.
        forget(target)?;
        if arguments.generated {
            keep_drivers(common, arguments, target, reporter)?;
        }
    }
    if let Some(manifest) = &common.manifest_path {
        let directory = manifest.parent().filter(|it| !it.as_os_str().is_empty());
        command.current_dir(directory.unwrap_or(&PathBuf::from(".")));
    } else if let Ok(directory) = std::env::current_dir() {
        command.current_dir(directory);
    }
    command.env(SETTINGS, handed.encode());
    reporter.finish();
    let code = run(&mut command)?;
    let merged = match files_of(results.path()) {
        Ok(files) if files.is_empty() => Merged::default(),
        _ => Merged::read(&[results.path().to_owned()])?,
    };
    if let Some(file) = &arguments.results {
        let lines = merged.lines().join("\n") + "\n";
        fs::write(file, lines).map_err(|error| cannot("write", file, &error))?;
    }
    let runs = arguments.arguments.first().is_some_and(|it| it == "run");
    if runs && merged.parts > 0 {
        reporter.merged(&merged, false);
    }
    if runs && code == 0 && merged.parts == 0 {
        return Err(Failure::new(ExitCode::NothingToTest, NOTHING_EXPLORED));
    }
    Ok(match code {
        // A later attempt may have passed.
        0 | status::TESTS_FAILED if merged.any_failed() => ExitCode::Findings,
        0 => ExitCode::Clean,
        status::TESTS_FAILED => ExitCode::Findings,
        status::BUILD_FAILED => ExitCode::BuildFailed,
        status::NO_TESTS => ExitCode::NothingToTest,
        _ => ExitCode::Usage,
    })
}

/// Builds the drivers of the packages whose tests are run, and keeps them beside the test executables.
fn keep_drivers(
    common: &CommonArgs,
    arguments: &NextestArgs,
    target: &Path,
    reporter: &mut Reporter,
) -> Result<(), Failure> {
    let exploration = &arguments.exploration;
    let run = RunArgs {
        budget: Some(RunBudget::Time(
            arguments.part_budget.unwrap_or(PART_BUDGET),
        )),
        seed: exploration.seed,
        strategy: exploration.strategy.clone(),
        memory_model: exploration.memory_model.clone(),
        rules: exploration.rules.clone(),
        ..RunArgs::default()
    };
    let packages = packages(common, reporter)?;
    let several = packages.are_members();
    members::show_left_out(&packages.left_out, reporter);
    for (common, package) in packages.selected {
        let name = package.name.clone();
        reporter.begin_package(&package.name_and_version());
        let built = Discovered::read(common, package, run.clone(), several, reporter)
            .and_then(|it| it.build(several, None, reporter));
        let member = match built {
            Ok(member) => member,
            Err(failure) if failure.code == ExitCode::NothingToTest => {
                let item = format!("generated tests of {name}");
                reporter.left_out(&Skipped::new(item, failure.message));
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let parts = arguments.parts.unwrap_or(PARTS);
        member
            .kept(parts)
            .keep(&member.prepared.driver, target, &name)?;
    }
    Ok(())
}

/// Arguments of nextest with the options that select packages behind its command.
fn with_selection(common: &CommonArgs, arguments: &[OsString]) -> Result<Vec<OsString>, Failure> {
    arguments::check(&common.members)?;
    let mut selection: Vec<&str> = Vec::new();
    if let Some(package) = &common.package {
        selection.extend(["--package", package]);
    }
    if common.members.workspace {
        selection.push("--workspace");
    }
    for name in &common.members.exclude {
        selection.extend(["--exclude", name]);
    }
    let (command, rest) = arguments.split_at(1.min(arguments.len()));
    let selection = selection.into_iter().map(OsString::from);
    Ok(command
        .iter()
        .cloned()
        .chain(selection)
        .chain(rest.iter().cloned())
        .collect())
}

/// The exit status; nextest has said why.
fn run(command: &mut Command) -> Result<i32, Failure> {
    let status = command.status().map_err(|error| {
        Failure::new(ExitCode::ToolFailed, format!("cannot run cargo: {error}"))
    })?;
    Ok(status.code().unwrap_or(ExitCode::Interrupted as i32))
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> Failure {
    let text = format!("cannot {what} {}: {error}", path.display());
    Failure::new(ExitCode::ToolFailed, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{CommandArgs, parse};

    fn handed(words: &str) -> String {
        let line = parse(words.split(' ')).unwrap();
        let Some(CommandArgs::Nextest(nextest)) = line.command else {
            panic!("{words}");
        };
        let all = with_selection(&line.common, &nextest.arguments).unwrap();
        all.join(" ".as_ref()).into_string().unwrap()
    }

    #[test]
    fn packages_are_selected_before_or_behind_the_command_of_nextest() {
        assert_eq!(handed("contest nextest run --workspace"), "run --workspace");
        assert_eq!(
            handed("contest nextest -p ring run --retries 1"),
            "run --package ring --retries 1"
        );
        assert_eq!(
            handed("contest nextest --workspace --exclude a* archive"),
            "archive --workspace --exclude a*"
        );
    }
}
