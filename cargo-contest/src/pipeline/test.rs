//! `cargo contest test`: emitted tests again, each under its own schedule; then the crate's own tests, each under one
//! interleaving after another.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use contest_data::finding::{Allowed, Finding, FindingKind};
use contest_data::own_tests::OwnTestSettings;

use super::failure::Failure;
use super::tested_packages::TestedPackages;
use super::{emitted_tests, flaky_list, members, prepare};
use crate::campaign::{CampaignError, Interrupt, OwnTestEvent, explore_own_tests};
use crate::cli::args::{CommonArgs, TestArgs};
use crate::cli::exit_code::ExitCode;
use crate::cli::options;
use crate::cli::settings;
use crate::emit::emit_own_test;
use crate::harness::{
    BuiltTests, Documentation, NamedTargets, OwnTests, TestExecutable, TestTargets,
};
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
    let mut arguments = arguments.clone();
    if let Some(list) = &arguments.flaky {
        arguments.arguments.push("--exact".to_owned());
        arguments.arguments.extend(flaky_list::read(list)?);
    }
    let arguments = &arguments;
    let begun = Instant::now();
    let tested = TestedPackages::select(common, reporter)?;
    let mut run = Run {
        arguments,
        common,
        left: arguments.budget.unwrap_or(settings.budget()),
        settings,
        packages_left: u32::try_from(tested.packages.len()).unwrap_or(u32::MAX),
        totals: TestTotals::default(),
        built: None,
    };
    let mut listed = ExitCode::Clean;
    for number in 0..tested.packages.len() {
        let name = tested.packages[number].package.name_and_version();
        if interrupt.is_set() {
            reporter.left_out(&Skipped::new(name, "interrupted"));
            continue;
        }
        if tested.are_members() && !run.lists() {
            reporter.begin_member(&name, &tested.options);
        } else {
            reporter.begin_package(&name);
        }
        let code = run.package(&tested, number, reporter, interrupt)?;
        run.packages_left -= 1;
        if code != ExitCode::Clean {
            listed = code;
        }
    }
    if run.lists() {
        return Ok(listed);
    }
    members::show_left_out(&tested.left_out, reporter);
    let mut totals = run.totals;
    totals.elapsed = begun.elapsed();
    if totals.emitted + totals.tests() + totals.not_built == 0 && !interrupt.is_set() {
        let names: Vec<&str> = tested.built.iter().map(|it| it.name.as_str()).collect();
        return Err(nothing(&names, arguments));
    }
    reporter.test_summary(&totals);
    Ok(if totals.any_failed() {
        ExitCode::Findings
    } else if interrupt.is_set() {
        ExitCode::Interrupted
    } else if totals.not_built > 0 {
        ExitCode::BuildFailed
    } else {
        ExitCode::Clean
    })
}

/// The tests of one or several packages under one budget.
struct Run<'a> {
    arguments: &'a TestArgs,
    common: &'a CommonArgs,
    /// What the command line says; a package may say more.
    settings: OwnTestSettings,
    /// Of the budget, which building does not use up.
    left: Duration,
    /// Packages among which the time that is left is divided.
    packages_left: u32,
    totals: TestTotals,
    /// The tests of all packages, once they are built.
    built: Option<BuiltTests>,
}

impl Run<'_> {
    /// True if tests are only to be listed.
    fn lists(&self) -> bool {
        self.arguments.arguments.iter().any(|it| it == "--list")
    }

    /// Runs the tests of a package, or lists them: then with the status of that.
    fn package(
        &mut self,
        tested: &TestedPackages,
        number: usize,
        reporter: &mut Reporter,
        interrupt: &Interrupt,
    ) -> Result<ExitCode, Failure> {
        let arguments = self.arguments;
        let own = &tested.packages[number];
        if !self.lists() {
            let directory = arguments.dir.as_deref();
            let emitted = emitted_tests::find(&own.package, directory, &name_filters(arguments))?;
            self.totals.emitted += emitted.len();
            self.totals.emitted_failed +=
                emitted_tests::run(tested, number, &emitted, self.common, reporter, interrupt)?;
        }
        if arguments.emitted {
            return Ok(ExitCode::Clean);
        }
        if own.package.runtime.is_some() {
            let why =
                "they use contest-runtime, so `cargo test` explores what is to be explored in them";
            let item = format!("tests of {}", own.package.name);
            reporter.left_out(&Skipped::new(item, why));
            return Ok(ExitCode::Clean);
        }
        let built = match self.built.take() {
            Some(built) => built,
            None => {
                let targets = targets(arguments);
                let built = tested.build(&targets, self.common, reporter)?;
                if arguments.compare {
                    tested.compare_lists(&built, &targets, self.common, reporter)?;
                }
                if !self.lists() {
                    for skipped in &built.not_instrumented {
                        reporter.left_out(skipped);
                    }
                }
                built
            }
        };
        let built = self.built.insert(built);
        let package = tested.built[number].clone();
        let tests = std::mem::take(&mut built.packages[number]);
        let tests = tests.ok_or_else(Failure::interrupted)?;
        reporter.locate(&[
            &prepare::package_directory(&package),
            &package.workspace_root,
        ]);
        reporter.describe(&package);
        if self.lists() {
            return list(&tests, arguments, reporter);
        }
        let metadata = settings::read(&package.metadata, &package.workspace_metadata)?;
        let lanes = options::processes(arguments.jobs.or(metadata.jobs))?;
        let levels = options::levels(arguments.exploration.rules.clone(), &metadata.levels)?;
        let is_allowed = Allowed::everywhere(&levels.allow, FindingKind::Interference);
        let settings = OwnTestSettings {
            package: (package.name.clone(), package.version.clone()),
            arguments: libtest_arguments(arguments),
            budget_ms: milliseconds(self.left / self.packages_left.max(1)),
            seed: (arguments.exploration.seed.or(metadata.seed)).unwrap_or(self.settings.seed),
            allow: levels.allow,
            warn: levels.warn,
            isolated: arguments.isolated || is_allowed,
            one_has_all: arguments.budget.is_some() && arguments.exploration.test_budget.is_none(),
            slow_has_more: arguments.exploration.test_budget.is_none(),
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
        for skipped in tests.left_out.iter().chain(&tests.not_built) {
            reporter.left_out(skipped);
        }
        totals.not_built += tests.not_built.len();
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
                        let name = &executable.name;
                        let step = format!("exploring {number} tests ({name})");
                        reporter.event(&ProgressEvent::Step(step));
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
                    OwnTestEvent::Pairs { run, failed, left } => {
                        totals.add_pairs(run, failed, left);
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
fn list(
    tests: &OwnTests,
    arguments: &TestArgs,
    reporter: &mut Reporter,
) -> Result<ExitCode, Failure> {
    for skipped in &tests.not_built {
        let text = format!("{}: {}", skipped.item, skipped.why);
        reporter.event(&ProgressEvent::Warning(text));
    }
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
    Ok(if tests.not_built.is_empty() {
        ExitCode::Clean
    } else {
        ExitCode::BuildFailed
    })
}

/// As cargo chooses them.
fn targets(arguments: &TestArgs) -> TestTargets {
    let mut named = Vec::new();
    let all = [
        (arguments.lib, NamedTargets::Library),
        (arguments.bins, NamedTargets::Programs),
        (arguments.tests, NamedTargets::Tests),
        (arguments.examples, NamedTargets::Examples),
        (arguments.benches, NamedTargets::Benches),
        (arguments.all_targets, NamedTargets::All),
    ];
    named.extend(all.into_iter().filter(|it| it.0).map(|it| it.1));
    named.extend(arguments.bin.iter().cloned().map(NamedTargets::Program));
    named.extend(arguments.test.iter().cloned().map(NamedTargets::Test));
    named.extend(arguments.example.iter().cloned().map(NamedTargets::Example));
    let default = named.is_empty() && !arguments.doc;
    TestTargets {
        default,
        named,
        documentation: match arguments.doc {
            true => Documentation::All,
            false if default => Documentation::AsCargo,
            false => Documentation::None,
        },
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
