//! `cargo contest test`: emitted tests again, each under its own schedule; then the crate's own tests, each under one
//! interleaving after another.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use contest_data::finding::{Allowed, Finding};
use contest_data::own_tests::OwnTestSettings;

use super::failure::Failure;
use super::{emitted_tests, prepare};
use crate::campaign::{CampaignError, Interrupt, OwnTestEvent, explore_own_tests};
use crate::cli::args::{CommonArgs, TestArgs};
use crate::cli::exit_code::ExitCode;
use crate::cli::options::{self, UsageError};
use crate::cli::settings;
use crate::emit::emit_own_test;
use crate::harness::{OwnTests, TestExecutable};
use crate::progress_event::ProgressEvent;
use crate::report::Reporter;
use crate::report::test_totals::TestTotals;
use crate::skipped::Skipped;
use crate::workspace::selection::Package;

pub(super) fn test(
    common: &CommonArgs,
    arguments: &TestArgs,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
    let strategy = options::strategy(arguments.strategy.clone())?;
    let memory_model = options::memory_model(arguments.memory_model.clone())?;
    let begun = Instant::now();
    let package = prepare::select(common)?;
    reporter.begin_package(&format!("{} {}", package.name, package.version));
    let mut totals = TestTotals::default();
    let lists = arguments.arguments.iter().any(|it| it == "--list");
    if !lists {
        let emitted =
            emitted_tests::find(&package, arguments.dir.as_deref(), &name_filters(arguments))?;
        totals.emitted = emitted.len();
        totals.emitted_failed =
            emitted_tests::run(&package, &emitted, common, reporter, interrupt)?;
    }
    if !arguments.emitted && package.runtime.is_some() {
        let why =
            "they use contest-runtime, so `cargo test` explores what is to be explored in them";
        reporter.left_out(&Skipped::new(format!("tests of {}", package.name), why));
    } else if !arguments.emitted {
        let package = prepare::testable(&package, common, reporter)?;
        let tests = prepare::own_tests(&package, common, reporter)?;
        reporter.locate(&[
            &prepare::package_directory(&package),
            &package.workspace_root,
        ]);
        if lists {
            return list(&tests, arguments);
        }
        let metadata = settings::read(&package.metadata, &package.workspace_metadata)?;
        let settings = OwnTestSettings {
            package: (package.name.clone(), package.version.clone()),
            arguments: libtest_arguments(arguments),
            seed: arguments.seed.or(metadata.seed).unwrap_or(1),
            strategy,
            memory_model,
            allow: allowed(arguments, &metadata.allow)?,
            ..OwnTestSettings::default()
        };
        explore(
            &package,
            &tests,
            arguments,
            &settings,
            &mut totals,
            reporter,
            interrupt,
        )?;
    }
    totals.elapsed = begun.elapsed();
    if totals.emitted + totals.tests() == 0 && !interrupt.is_set() {
        return Err(nothing(&package, arguments));
    }
    reporter.test_summary(&totals);
    Ok(if totals.any_failed() {
        ExitCode::Findings
    } else if interrupt.is_set() {
        ExitCode::Interrupted
    } else {
        ExitCode::Clean
    })
}

/// Explores the executables one after another, under one budget.
fn explore(
    package: &Package,
    tests: &OwnTests,
    arguments: &TestArgs,
    settings: &OwnTestSettings,
    totals: &mut TestTotals,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    for skipped in &tests.left_out {
        reporter.left_out(skipped);
    }
    let short = prepare::short_locations(package);
    let most = |given: Option<Duration>, default| given.map_or(default, milliseconds);
    let end = Instant::now() + Duration::from_millis(most(arguments.budget, settings.budget_ms));
    let mut not_emitted = None;
    for executable in &tests.executables {
        if interrupt.is_set() {
            break;
        }
        if is_emitted(executable) {
            let why = "emitted by cargo contest: it runs under its schedule";
            reporter.left_out(&Skipped::new(&executable.name, why));
            continue;
        }
        let settings = OwnTestSettings {
            executable: executable.name.clone(),
            budget_ms: milliseconds(end.saturating_duration_since(Instant::now())),
            test_budget_ms: most(arguments.test_budget, settings.test_budget_ms),
            ..settings.clone()
        };
        let explored =
            explore_own_tests(
                tests,
                executable,
                settings,
                interrupt,
                &mut |event| match event {
                    OwnTestEvent::Tests(0) => {}
                    OwnTestEvent::Tests(number) => {
                        reporter.text(&format!("\nrunning {number} tests ({})\n", executable.name));
                    }
                    OwnTestEvent::Finding(mut finding) => {
                        short.finding(&mut finding);
                        totals.findings += 1;
                        let emitted = match &arguments.emit {
                            Some(directory) => emit(&finding, executable, package, directory)
                                .unwrap_or_else(|failure| {
                                    not_emitted = Some(failure);
                                    None
                                }),
                            None => None,
                        };
                        reporter.event(&ProgressEvent::Finding {
                            finding,
                            emitted,
                            known: None,
                        });
                    }
                    OwnTestEvent::Done(mut result) => {
                        result.why = short.text(&result.why);
                        totals.add(&result);
                        reporter.own_test(&executable.name, &result);
                    }
                    OwnTestEvent::Note(note) => reporter.event(&ProgressEvent::Warning(note)),
                },
            );
        match explored {
            Err(CampaignError::Refused(why)) => {
                return Err(Failure::new(ExitCode::Usage, why));
            }
            other => other?,
        }
    }
    not_emitted.map_or(Ok(()), Err)
}

/// Writes the file of a finding, and says where it is, as seen from the working directory.
fn emit(
    finding: &Finding,
    executable: &TestExecutable,
    package: &Package,
    directory: &Path,
) -> Result<Option<String>, Failure> {
    let name = format!("{} {}", package.name, package.version);
    let directory = prepare::package_directory(package).join(directory);
    let path = emit_own_test(finding, &executable.name, &name, &directory)?;
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(&here).unwrap_or(&path);
    Ok(Some(path.display().to_string()))
}

pub(super) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Libtest's own list, by the executables.
fn list(tests: &OwnTests, arguments: &TestArgs) -> Result<ExitCode, Failure> {
    for executable in &tests.executables {
        let mut command = tests.plain(executable);
        command
            .args(libtest_arguments(arguments))
            .stdin(Stdio::null());
        let status = command.status().map_err(|error| {
            let path = executable.path.display();
            Failure::new(ExitCode::ToolFailed, format!("cannot run {path}: {error}"))
        })?;
        if !status.success() {
            return Ok(ExitCode::Usage);
        }
    }
    Ok(ExitCode::Clean)
}

fn libtest_arguments(arguments: &TestArgs) -> Vec<String> {
    let filter = arguments.filter.iter();
    filter.chain(&arguments.arguments).cloned().collect()
}

/// The filters among the arguments, for emitted tests.
fn name_filters(arguments: &TestArgs) -> Vec<String> {
    let names = libtest_arguments(arguments).into_iter();
    names.filter(|it| !it.starts_with('-')).collect()
}

/// True for the file of an emitted test.
fn is_emitted(executable: &TestExecutable) -> bool {
    let source = std::fs::read_to_string(&executable.source).unwrap_or_default();
    crate::emit::token_in_file::token_of(&source).is_some()
}

fn allowed(arguments: &TestArgs, settings: &[String]) -> Result<Vec<Allowed>, Failure> {
    let mut allowed = arguments.allow.clone();
    for text in settings {
        allowed.push(Allowed::parse(text).map_err(|why| {
            let key = "allow";
            Failure::from(UsageError::BadSetting { key, why })
        })?);
    }
    Ok(allowed)
}

fn nothing(package: &Package, arguments: &TestArgs) -> Failure {
    let which = if name_filters(arguments).is_empty() {
        ""
    } else {
        " of that name"
    };
    let message = if arguments.emitted {
        format!(
            "`{}` has no emitted test{which}; `cargo contest run --emit` writes one for each finding",
            package.name
        )
    } else {
        format!(
            "`{}` has no test{which}: no `#[test]` that can be explored, and none that cargo contest emitted",
            package.name
        )
    };
    Failure::new(ExitCode::NothingToTest, message)
}
