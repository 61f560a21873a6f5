//! `cargo contest test`: emitted tests again, each under its own schedule; then the crate's own tests, each under one
//! interleaving after another.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use contest_data::finding::{Allowed, Finding};
use contest_data::own_tests::OwnTestSettings;

use super::failure::Failure;
use super::member::name_of;
use super::members::{Packages, packages};
use super::{emitted_tests, members, prepare};
use crate::campaign::{CampaignError, Interrupt, OwnTestEvent, explore_own_tests};
use crate::cli::args::{CommonArgs, TestArgs};
use crate::cli::exit_code::ExitCode;
use crate::cli::options::{self, UsageError};
use crate::cli::settings;
use crate::emit::emit_own_test;
use crate::harness::{OwnTests, TestExecutable, TestTargets, tests_documentation};
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
    let settings = options::own_tests(&arguments.exploration)?;
    let begun = Instant::now();
    let packages = packages(common, reporter)?;
    let several = packages.are_members();
    let Packages {
        selected,
        left_out,
        options,
    } = packages;
    let mut run = Run {
        arguments,
        left: arguments.budget.unwrap_or(settings.budget()),
        settings,
        packages_left: u32::try_from(selected.len()).unwrap_or(u32::MAX),
        totals: TestTotals::default(),
    };
    let mut listed = ExitCode::Clean;
    for (common, package) in &selected {
        let name = name_of(package);
        if interrupt.is_set() {
            reporter.left_out(&Skipped::new(name, "interrupted"));
            continue;
        }
        if several && !run.lists() {
            reporter.begin_member(&name, &options);
        } else {
            reporter.begin_package(&name);
        }
        let code = run.package(common, package, reporter, interrupt)?;
        run.packages_left -= 1;
        if code != ExitCode::Clean {
            listed = code;
        }
    }
    if run.lists() {
        return Ok(listed);
    }
    members::show_left_out(&left_out, reporter);
    let mut totals = run.totals;
    totals.elapsed = begun.elapsed();
    if totals.emitted + totals.tests() == 0 && !interrupt.is_set() {
        let names: Vec<&str> = selected.iter().map(|(_, it)| it.name.as_str()).collect();
        return Err(nothing(&names, arguments));
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

/// The tests of one or several packages under one budget.
struct Run<'a> {
    arguments: &'a TestArgs,
    /// What the command line says; a package may say more.
    settings: OwnTestSettings,
    /// Of the budget, which building does not use up.
    left: Duration,
    /// Packages among which the time that is left is divided.
    packages_left: u32,
    totals: TestTotals,
}

impl Run<'_> {
    /// True if tests are only to be listed.
    fn lists(&self) -> bool {
        self.arguments.arguments.iter().any(|it| it == "--list")
    }

    /// Runs the tests of a package, or lists them: then with the status of that.
    fn package(
        &mut self,
        common: &CommonArgs,
        package: &Package,
        reporter: &mut Reporter,
        interrupt: &Interrupt,
    ) -> Result<ExitCode, Failure> {
        let arguments = self.arguments;
        if !self.lists() {
            let directory = arguments.dir.as_deref();
            let emitted = emitted_tests::find(package, directory, &name_filters(arguments))?;
            self.totals.emitted += emitted.len();
            self.totals.emitted_failed +=
                emitted_tests::run(package, &emitted, common, reporter, interrupt)?;
        }
        if arguments.emitted {
            return Ok(ExitCode::Clean);
        }
        if package.runtime.is_some() {
            let why =
                "they use contest-runtime, so `cargo test` explores what is to be explored in them";
            reporter.left_out(&Skipped::new(format!("tests of {}", package.name), why));
            return Ok(ExitCode::Clean);
        }
        let package = prepare::testable(package, common, reporter)?;
        let tests = prepare::own_tests(&package, targets(arguments, &package), common, reporter)?;
        reporter.locate(&[
            &prepare::package_directory(&package),
            &package.workspace_root,
        ]);
        if self.lists() {
            return list(&tests, arguments);
        }
        let metadata = settings::read(&package.metadata, &package.workspace_metadata)?;
        let lanes = options::processes(arguments.jobs.or(metadata.jobs))?;
        let settings = OwnTestSettings {
            package: (package.name.clone(), package.version.clone()),
            arguments: libtest_arguments(arguments),
            budget_ms: milliseconds(self.left / self.packages_left.max(1)),
            seed: (arguments.exploration.seed.or(metadata.seed)).unwrap_or(self.settings.seed),
            allow: allowed(&self.settings.allow, &metadata.allow)?,
            ..self.settings.clone()
        };
        let begun = Instant::now();
        self.explore(&package, &tests, &settings, lanes, reporter, interrupt)?;
        self.left = self.left.saturating_sub(begun.elapsed());
        Ok(ExitCode::Clean)
    }

    /// Explores the executables one after another, under one budget.
    fn explore(
        &mut self,
        package: &Package,
        tests: &OwnTests,
        settings: &OwnTestSettings,
        lanes: u16,
        reporter: &mut Reporter,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        let Self {
            arguments, totals, ..
        } = self;
        for skipped in &tests.left_out {
            reporter.left_out(skipped);
        }
        let short = prepare::short_locations(package);
        let begun = Instant::now();
        let end = begun + settings.budget();
        let over = begun + OwnTestSettings::overtime_of(settings.budget());
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
                overtime_ms: milliseconds(over.saturating_duration_since(Instant::now())),
                ..settings.clone()
            };
            let explored = explore_own_tests(
                tests,
                executable,
                &settings,
                lanes,
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

fn milliseconds(time: Duration) -> u64 {
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

/// As cargo chooses: without options unit and integration tests, and those of the documentation unless the manifest
/// says otherwise.
fn targets(arguments: &TestArgs, package: &Package) -> TestTargets {
    let named =
        arguments.tests || arguments.examples || arguments.doc || !arguments.test.is_empty();
    TestTargets {
        tests: arguments.tests || !named,
        named: arguments.test.clone(),
        examples: arguments.examples,
        documentation: arguments.doc || !named && tests_documentation(&package.manifest_path),
    }
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

fn allowed(given: &[Allowed], settings: &[String]) -> Result<Vec<Allowed>, Failure> {
    let mut allowed = given.to_vec();
    for text in settings {
        allowed.push(Allowed::parse(text).map_err(|why| {
            let key = "allow";
            Failure::from(UsageError::BadSetting { key, why })
        })?);
    }
    Ok(allowed)
}

fn nothing(packages: &[&str], arguments: &TestArgs) -> Failure {
    let (has, packages) = match packages {
        [one] => ("has", format!("`{one}`")),
        several => ("have", format!("`{}`", several.join("`, `"))),
    };
    let which = if name_filters(arguments).is_empty() {
        ""
    } else {
        " of that name"
    };
    let message = if arguments.emitted {
        format!(
            "{packages} {has} no emitted test{which}; `cargo contest run --emit` writes one for each finding"
        )
    } else {
        format!(
            "{packages} {has} no test{which}: no `#[test]` that can be explored, and none that cargo contest emitted"
        )
    };
    Failure::new(ExitCode::NothingToTest, message)
}
