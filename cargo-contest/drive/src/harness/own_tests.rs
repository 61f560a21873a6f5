//! Builds the test executables of packages, instrumented, each of which is a driver.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::Artifact;
use contest_data::protocol::Request;
use tracing::info_span;

use super::build_event::BuildEvent;
use super::debugged_driver::DebuggedDriver;
use super::doctests::{Doctests, build_doctests};
use super::driver_process::{DriverProcess, ProcessPlace, Watchdog};
use super::harness_error::HarnessError;
use super::harness_options::HarnessOptions;
use super::planned_tests::{self, Missing, differences, missing};
use super::property_tests;
use super::runtime::obtain_runtime;
use super::test_build::{Build, TestExecutable, package_directory, programs, tests_documentation};
use super::test_targets::{Documentation, TestTargets};
use contest_build::instrument::facade_build::Facade;
use contest_build::instrument::lock_stand_in::LockStandIn;
use contest_build::instrument::runtime_sources::RuntimeSources;
use contest_build::instrument::rustc_wrapper::Instrumentation;
use contest_build::instrument::test_harness::{build_test_harness, fingerprint};
use contest_build::instrument::unit_notes::UnitNotes;
use contest_build::workspace::cargo_build::Toolchain;
use contest_build::workspace::cargo_selection::CargoSelection;
use contest_build::workspace::scratch_dir::{BuildLock, RunDirectory, WriteError};
use contest_build::workspace::selection::Package;
use contest_build::workspace::unit_graph::UnitGraph;
use contest_catalog::skipped::Skipped;

/// The test executables of a package.
#[derive(Debug)]
pub struct OwnTests {
    /// Those that can be explored.
    pub executables: Vec<TestExecutable>,
    /// Those that cannot, with the reason.
    pub left_out: Vec<Skipped>,
    /// Targets that do not build, with the reason.
    pub not_built: Vec<Skipped>,
    /// Working directory of the tests: that of the package, as in `cargo test`.
    directory: PathBuf,
    variables: Vec<(String, OsString)>,
    scratch: RunDirectory,
}

impl OwnTests {
    /// Executables that were built before; they run in this directory with the variables of this process.
    #[must_use]
    pub fn built(
        executables: Vec<TestExecutable>,
        directory: PathBuf,
        scratch: RunDirectory,
    ) -> Self {
        Self {
            executables,
            left_out: Vec::new(),
            not_built: Vec::new(),
            directory,
            variables: property_tests::variables(),
            scratch,
        }
    }

    /// Starts a process of one executable for one request.
    ///
    /// # Errors
    /// If the process cannot be started.
    pub fn start(
        &self,
        executable: &TestExecutable,
        request: &Request,
        watchdog: Watchdog,
    ) -> std::io::Result<DriverProcess> {
        let place = ProcessPlace {
            scratch: self.scratch.path(),
            directory: Some(&self.directory),
            variables: &self.variables,
        };
        DriverProcess::start(&executable.path, &place, request, watchdog)
    }

    /// One to be started by a debugger, which runs the schedule of this token of a test of the executable.
    ///
    /// # Errors
    /// If its request cannot be written.
    pub fn debugged(
        &self,
        executable: &TestExecutable,
        token: &str,
    ) -> Result<DebuggedDriver, WriteError> {
        let place = ProcessPlace {
            scratch: self.scratch.path(),
            directory: Some(&self.directory),
            variables: &self.variables,
        };
        DebuggedDriver::prepare(&executable.path, &place, token)
    }

    /// A command that runs the executable as `cargo test` does, without control.
    #[must_use]
    pub fn plain(&self, executable: &TestExecutable) -> Command {
        let mut command = Command::new(&executable.path);
        command
            .current_dir(&self.directory)
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// The tests of packages that were built together.
#[derive(Debug)]
pub struct BuiltTests {
    /// Those of each package, in the order in which they were named, until they are taken.
    pub packages: Vec<Option<OwnTests>>,
    /// Crates of their graph that are not instrumented, with the reason.
    pub not_instrumented: Vec<Skipped>,
    /// Why it is not known whether a plain `cargo test` has other tests or features.
    pub not_compared: Option<String>,
}

/// Builds these tests of the packages that the selection means: all at once, because cargo resolves features so.
///
/// # Errors
/// See [`HarnessError`]. It is an error if nothing builds; what else does not build is left out.
///
/// # Panics
/// If there is no package.
pub fn prepare_own_tests(
    selection: &CargoSelection,
    packages: &[Package],
    targets: &TestTargets,
    options: &HarnessOptions,
    on_event: &mut dyn FnMut(BuildEvent),
) -> Result<BuiltTests, HarnessError> {
    let _span = info_span!("test build", packages = packages.len()).entered();
    let toolchain = Toolchain::find(&selection.directory)?;
    if let Some(event) = BuildEvent::other_target(&toolchain, &selection.directory) {
        on_event(event);
    }
    let contest = packages[0].target_directory.join("contest");
    let _lock = BuildLock::take(&contest)?;
    let sources = RuntimeSources::of(options.embedded);
    let runtime = obtain_runtime(&toolchain, &sources, &contest, options, on_event)?;
    let facade = runtime.facade.clone();
    let accesses = options.memory && facade.accesses_refused.is_none();
    let kind = if accesses { "-memory" } else { "" };
    // Cargo does not see what the wrapper adds, so what is linked with another harness has another directory.
    let target = contest.join(format!("tests-{}{kind}", fingerprint(&facade)));
    let harness = build_test_harness(&toolchain, &facade, &target.join("harness"), accesses)?;
    let root = &packages[0].workspace_root;
    let build = Build {
        toolchain: &toolchain,
        selection,
        packages,
        targets,
        options,
        instrumentation: instrumentation(root, facade, harness, &target, accesses),
        target,
    };
    let plan = build.plan()?;
    let plan = plan.as_ref().map_err(String::as_str);
    let built = if targets.are_built() {
        executables(&build, plan.ok(), on_event)?
    } else {
        BuiltExecutables::default()
    };
    let mut documentation = documentation(&build, plan.ok(), on_event)?;
    let not_instrumented = build.not_instrumented(&built.artifacts, on_event);
    let mut all = Vec::new();
    for package in packages {
        let (mut executables, mut left_out) = build.executables(package, &built.artifacts);
        if !executables.is_empty() {
            left_out.extend(property_tests::left_out(&built.artifacts));
        }
        let missing = built.missing.iter().filter(|it| it.target.0 == package.id);
        let not_built: Vec<Skipped> = missing
            .map(|it| Skipped::new(&it.target.1, it.why.clone().unwrap_or_default()))
            .collect();
        if let Some(of_documentation) = documentation.remove(&package.id) {
            executables.extend(of_documentation.executables);
            left_out.extend(of_documentation.left_out);
        }
        all.push(Some(OwnTests {
            executables,
            left_out,
            not_built,
            directory: package_directory(package).to_owned(),
            variables: variables(package, &built.artifacts),
            scratch: RunDirectory::new(&contest.join("run"))?,
        }));
    }
    Ok(BuiltTests {
        packages: all,
        not_instrumented,
        not_compared: plan.err().map(str::to_owned),
    })
}

/// What cargo built, and what it did not.
#[derive(Default)]
struct BuiltExecutables {
    artifacts: Vec<Artifact>,
    /// Targets of tests, with the reason.
    missing: Vec<Missing>,
}

fn executables(
    build: &Build<'_>,
    plan: Option<&UnitGraph>,
    on_event: &mut dyn FnMut(BuildEvent),
) -> Result<BuiltExecutables, HarnessError> {
    let (end, mut round) = build.tests(on_event)?;
    let Some(plan) = plan else {
        if !end.success {
            return Err(build.explain(&end, &round, on_event)?);
        }
        return Ok(BuiltExecutables {
            artifacts: round.artifacts,
            missing: Vec::new(),
        });
    };
    if !end.success {
        round.artifacts.retain(|it| is_meant(it, plan));
        if !round.artifacts.iter().any(|it| it.profile.test) {
            return Err(build.explain(&end, &round, on_event)?);
        }
    }
    let differences = differences(plan, &round.artifacts, end.success);
    if !differences.is_empty() {
        return Err(HarnessError::OtherTests(differences));
    }
    let mut missing = missing(plan, &round.artifacts, &round.errors);
    if !missing.is_empty() {
        // An error of the sources is one without instrumentation too, and then in its words.
        let (plain_end, plain) = build.plainly(on_event)?;
        let plainly = planned_tests::missing(plan, &plain.artifacts, &plain.errors);
        for it in &mut missing {
            let first = |stderr: &str| {
                let error = stderr.lines().find(|it| it.starts_with("error"));
                let of = error.map_or_else(String::new, |it| format!(", {it}"));
                format!("cargo stopped at the error of another target{of}")
            };
            let same = plainly.iter().find(|other| other.target == it.target);
            it.why = Some(match same {
                Some(same) => {
                    let why = same.why.clone().or(it.why.take());
                    let why = why.map(|why| format!("it does not build: {why}"));
                    why.unwrap_or_else(|| first(&plain_end.stderr))
                }
                None => {
                    let why = it.why.take();
                    let why = why.map(|why| {
                        format!("it builds, but not with the instrumented standard library: {why}")
                    });
                    why.unwrap_or_else(|| first(&end.stderr))
                }
            });
        }
    }
    Ok(BuiltExecutables {
        artifacts: round.artifacts,
        missing,
    })
}

/// False for the tests of a target that are not asked for.
fn is_meant(artifact: &Artifact, plan: &UnitGraph) -> bool {
    let name = planned_tests::name_of(artifact);
    let mut meant = plan.roots_of("test");
    !artifact.profile.test
        || meant.any(|it| it.package == artifact.package_id.repr && it.name() == name)
}

/// The examples of the documentation that cargo would test, by the ids of packages.
fn documentation(
    build: &Build<'_>,
    plan: Option<&UnitGraph>,
    on_event: &mut dyn FnMut(BuildEvent),
) -> Result<BTreeMap<String, Doctests>, HarnessError> {
    let planned = |package: &Package, plan: &UnitGraph| {
        let mut planned = plan.roots_of("doctest");
        planned.any(|it| it.package == package.id)
    };
    let tests = |package: &Package| match (build.targets.documentation, plan) {
        (Documentation::None, _) => false,
        // Beside named targets there is no plain command for it.
        (Documentation::All, _) if build.targets.are_built() => true,
        (Documentation::All, None) => true,
        (_, Some(plan)) => planned(package, plan),
        (Documentation::AsCargo, None) => tests_documentation(&package.manifest_path),
    };
    let packages: Vec<&Package> = build.packages.iter().filter(|it| tests(it)).collect();
    build_doctests(build, &packages, on_event)
}

pub(super) fn instrumentation(
    root: &Path,
    facade: Facade,
    harness: PathBuf,
    target: &Path,
    accesses: bool,
) -> Instrumentation {
    Instrumentation {
        lock_stand_in: Some(LockStandIn::new(&facade.lock_sources)),
        facade,
        // No unit has this name.
        driver_crate: String::new(),
        notes: UnitNotes::new(target.join("notes")),
        accesses,
        test_harness: Some(harness),
        checkout: Some(root.to_owned()),
        internal: None,
    }
}

/// What cargo sets when it runs tests, as far as tests are likely to look at it.
fn variables(package: &Package, artifacts: &[Artifact]) -> Vec<(String, OsString)> {
    let directory = package_directory(package);
    let programs = programs(package, artifacts);
    let programs = programs.map(|(name, path)| (name, OsString::from(path)));
    [
        ("CARGO_MANIFEST_DIR", directory.into()),
        ("CARGO_MANIFEST_PATH", package.manifest_path.clone().into()),
        ("CARGO_PKG_NAME", OsString::from(&package.name)),
        ("CARGO_PKG_VERSION", OsString::from(&package.version)),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into_iter()
    .chain(programs)
    .chain(property_tests::variables())
    .collect()
}
