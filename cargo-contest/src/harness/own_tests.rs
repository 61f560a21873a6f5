//! Builds the test executables of a package, instrumented, each of which is a driver.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use contest_data::protocol::Request;
use tracing::info_span;

use super::build_event::BuildEvent;
use super::doctests::build_doctests;
use super::driver_process::{DriverProcess, ProcessPlace, Watchdog};
use super::harness_error::HarnessError;
use super::harness_options::HarnessOptions;
use super::property_tests;
use super::runtime::obtain_runtime;
use super::test_build::{Build, TestExecutable, TestTargets, package_directory};
use crate::instrument::facade_build::Facade;
use crate::instrument::runtime_sources::RuntimeSources;
use crate::instrument::rustc_wrapper::Instrumentation;
use crate::instrument::test_harness::{build_test_harness, fingerprint};
use crate::skipped::Skipped;
use crate::workspace::cargo_build::Toolchain;
use crate::workspace::scratch_dir::{BuildLock, RunDirectory};
use crate::workspace::selection::{FeatureSelection, Package};

/// The test executables of a package.
#[derive(Debug)]
pub struct OwnTests {
    /// Those that can be explored.
    pub executables: Vec<TestExecutable>,
    /// Those that cannot, and crates that are not instrumented, with the reason.
    pub left_out: Vec<Skipped>,
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
            directory: &self.directory,
            variables: &self.variables,
        };
        DriverProcess::start(&executable.path, &place, request, watchdog)
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

/// Builds these tests of `package`.
///
/// # Errors
/// See [`HarnessError`].
pub fn prepare_own_tests(
    package: &Package,
    features: &FeatureSelection,
    targets: TestTargets,
    options: &HarnessOptions,
    on_event: &mut dyn FnMut(BuildEvent),
) -> Result<OwnTests, HarnessError> {
    let _span = info_span!("test build", package = package.name).entered();
    let toolchain = Toolchain::find(&package.workspace_root)?;
    let contest = package.target_directory.join("contest");
    let _lock = BuildLock::take(&contest)?;
    let sources = RuntimeSources::embedded();
    let runtime = obtain_runtime(&toolchain, &sources, &contest, options, on_event)?;
    let facade = runtime.facade.clone();
    let accesses = options.memory && facade.accesses_refused.is_none();
    let kind = if accesses { "-memory" } else { "" };
    // Cargo does not see what the wrapper adds, so what is linked with another harness has another directory.
    let target = contest.join(format!("tests-{}{kind}", fingerprint(&facade)));
    let harness = build_test_harness(&toolchain, &facade, &target.join("harness"), accesses)?;
    let build = Build {
        toolchain: &toolchain,
        package,
        features,
        targets,
        options,
        instrumentation: instrumentation(facade, harness, &target, accesses),
        target,
    };
    let (mut executables, mut left_out) = (Vec::new(), Vec::new());
    if build.targets.are_built() {
        let (end, round) = build.cargo(true, on_event)?;
        if !end.success {
            return Err(build.explain(&end, round, on_event)?);
        }
        (executables, left_out) = build.sort(&round.artifacts, on_event);
    }
    if build.targets.documentation {
        let of_documentation = build_doctests(&build, on_event)?;
        executables.extend(of_documentation.executables);
        left_out.extend(of_documentation.left_out);
    }
    Ok(OwnTests {
        executables,
        left_out,
        directory: package_directory(package).to_owned(),
        variables: variables(package),
        scratch: RunDirectory::new(&contest.join("run"))?,
    })
}

pub(super) fn instrumentation(
    facade: Facade,
    harness: PathBuf,
    target: &Path,
    accesses: bool,
) -> Instrumentation {
    Instrumentation {
        facade,
        // No unit has this name.
        driver_crate: String::new(),
        notes: target.join("notes"),
        accesses,
        test_harness: Some(harness),
        internal: None,
    }
}

/// What cargo sets when it runs tests, as far as tests are likely to look at it.
fn variables(package: &Package) -> Vec<(String, OsString)> {
    let directory = package_directory(package);
    [
        ("CARGO_MANIFEST_DIR", directory.into()),
        ("CARGO_MANIFEST_PATH", package.manifest_path.clone().into()),
        ("CARGO_PKG_NAME", OsString::from(&package.name)),
        ("CARGO_PKG_VERSION", OsString::from(&package.version)),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into_iter()
    .chain(property_tests::variables())
    .collect()
}
