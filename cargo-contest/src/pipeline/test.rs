//! `cargo contest test`: emitted tests again, each under its own schedule; then the crate's own tests, each under one
//! interleaving after another.

use std::process::Stdio;
use std::time::{Duration, Instant};

use contest_data::finding::{Allowed, FindingKind};
use contest_data::own_tests::OwnTestSettings;

use super::emitted_tests::RunAgain;
use super::failure::Failure;
use super::tested_packages::TestedPackages;
use super::tests_of_package::{TestsOfPackage, milliseconds};
use super::{emitted_tests, flaky_list, members, prepare};
use crate::cli::args::{CommonArgs, TestArgs};
use crate::cli::exit_code::ExitCode;
use crate::cli::options;
use crate::cli::settings;
use contest_catalog::progress_event::ProgressEvent;
use contest_catalog::skipped::Skipped;
use contest_drive::campaign::Interrupt;
use contest_drive::harness::{BuiltTests, Documentation, NamedTargets, OwnTests, TestTargets};
use contest_report::Reporter;
use contest_report::test_totals::TestTotals;

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
        let code = match run.package(&tested, number, reporter, interrupt) {
            Err(failure) if failure.code == ExitCode::Interrupted => {
                reporter.left_out(&Skipped::new(name, failure.message));
                continue;
            }
            code => code?,
        };
        run.packages_left -= 1;
        if code != ExitCode::Clean {
            listed = code;
        }
    }
    if run.lists() {
        return Ok(listed);
    }
    members::show_left_out(&tested.left_out, reporter);
    let totals = TestTotals {
        interrupted: interrupt.is_set(),
        ..run.totals
    };
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
            let package = &own.package;
            let metadata = settings::read(&package.metadata, &package.workspace_metadata)?;
            let rules = arguments.exploration.rules.clone();
            let how = RunAgain {
                all: self.common,
                levels: &options::levels(rules, &metadata.levels)?,
                interrupt,
            };
            self.totals.emitted_failed +=
                emitted_tests::run(tested, number, &emitted, how, reporter)?;
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
            slow_has_more: arguments.exploration.test_budget.is_none(),
            ..self.settings.clone()
        };
        let begun = Instant::now();
        let exploration = TestsOfPackage {
            tests: &tests,
            settings: &settings,
            lanes,
            goes_on: arguments.budget.is_some() && arguments.exploration.test_budget.is_none(),
            emit: arguments.emit.as_deref(),
            package: &package,
            totals: &mut self.totals,
            reporter,
            interrupt,
        };
        exploration.explore()?;
        let spent = begun.elapsed();
        self.left = self.left.saturating_sub(spent);
        self.totals.elapsed += spent;
        Ok(ExitCode::Clean)
    }
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
    let filters = arguments.filters.iter();
    filters.chain(&arguments.arguments).cloned().collect()
}

/// The filters among the arguments, for emitted tests.
fn name_filters(arguments: &TestArgs) -> Vec<String> {
    let names = libtest_arguments(arguments).into_iter();
    names.filter(|it| !it.starts_with('-')).collect()
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
