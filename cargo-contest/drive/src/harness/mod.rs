//! Catalog in, a driver process out: the wall between the tool and the code under test.
//!
//! [`prepare`] writes a driver crate that links the package under test with the runtime, and builds it instrumented.
//! Items of the catalog that do not compile are left out, with the compiler's message as the reason. [`Driver::start`]
//! runs it; a process that dies or hangs is distinguished from one that is done, and the caller starts the next one.
#![cfg_attr(doc, doc = include_str!("DESIGN.md"))]

pub mod subject_package;

pub mod build_event;
pub mod compile_error;
mod compiled_code;
mod debugged_driver;
mod doctest_scan;
mod doctest_source;
mod doctests;
pub mod driver_build;
pub mod driver_exit;
pub mod driver_manifest;
pub mod driver_process;
pub mod driver_source;
pub mod harness_error;
pub mod harness_options;
pub mod kept_driver;
pub mod left_out;
mod libc_calls;
mod list_comparison;
pub mod missing_symbols;
mod native_program;
pub mod nextest;
pub mod own_tests;
mod planned_tests;
pub mod property_tests;
mod provided_runtime;
mod providers;
mod remembered;
mod runtime;
pub mod test_build;
mod test_profile;
pub mod test_targets;
mod unseen_code;

#[cfg(test)]
mod sample_catalog;

use std::path::{Path, PathBuf};

use contest_data::protocol::Request;

use contest_build::instrument::runtime_sources::RuntimeSources;
use contest_build::workspace::cargo_build::Toolchain;
use contest_build::workspace::scratch_dir::{BuildLock, RunDirectory, WriteError};
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::SubjectCatalog;

pub use build_event::{BuildEvent, BuildStage};
pub use debugged_driver::DebuggedDriver;
pub use driver_exit::{Death, DriverExit};
pub use driver_process::{DriverEvent, DriverProcess, ProcessPlace, Watchdog};
pub use harness_error::HarnessError;
pub use harness_options::HarnessOptions;
pub use list_comparison::{compare_lists, listed_tests};
pub use native_program::{NativeProgram, build_native};
pub use own_tests::{BuiltTests, OwnTests, prepare_own_tests};
pub use runtime::build_runtime;
use runtime::obtain_runtime;
pub use subject_package::{DriverOf, SubjectPackage};
pub use test_build::TestExecutable;
pub use test_targets::{Documentation, NamedTargets, TestTargets};

/// A driver, built.
#[derive(Debug)]
pub struct Driver {
    /// What is linked in: the catalog without what does not compile. Its indexes are those of the driver's tables.
    pub catalog: SubjectCatalog,
    /// Crates of the graph that were compiled with the facade.
    pub instrumented: usize,
    /// Crates that compile only without it, with the compiler's reason.
    pub uninstrumented: Vec<Skipped>,
    executable: PathBuf,
    /// Keeps the executable and what drivers write.
    scratch: RunDirectory,
}

impl Driver {
    /// Starts a process for one request.
    ///
    /// # Errors
    /// If the process cannot be started.
    pub fn start(&self, request: &Request, watchdog: Watchdog) -> std::io::Result<DriverProcess> {
        let place = ProcessPlace::scratch(self.scratch.path());
        DriverProcess::start(&self.executable, &place, request, watchdog)
    }

    /// One to be started by a debugger, which runs the schedule of this token.
    ///
    /// # Errors
    /// If its request cannot be written.
    pub fn debugged(&self, token: &str) -> Result<DebuggedDriver, WriteError> {
        let place = ProcessPlace::scratch(self.scratch.path());
        DebuggedDriver::prepare(&self.executable, &place, token)
    }

    /// The executable, for messages.
    #[must_use]
    pub fn executable(&self) -> &Path {
        &self.executable
    }
}

/// Builds the driver of `package` for the subjects of `catalog`.
///
/// # Errors
/// See [`HarnessError`]. It is an error if nothing of the catalog compiles, not if a part of it does not.
pub fn prepare(
    package: &SubjectPackage,
    catalog: &SubjectCatalog,
    options: &HarnessOptions,
    on_event: &mut dyn FnMut(BuildEvent),
) -> Result<Driver, HarnessError> {
    prepare_with(
        &RuntimeSources::of(options.embedded),
        package,
        catalog,
        options,
        on_event,
    )
}

/// [`prepare`] with another runtime than that of the options.
///
/// # Errors
/// As for [`prepare`].
pub fn prepare_with(
    sources: &RuntimeSources,
    package: &SubjectPackage,
    catalog: &SubjectCatalog,
    options: &HarnessOptions,
    on_event: &mut dyn FnMut(BuildEvent),
) -> Result<Driver, HarnessError> {
    let toolchain = Toolchain::find(&package.workspace_root)?;
    if let Some(event) = BuildEvent::other_target(&toolchain, &package.workspace_root) {
        on_event(event);
    }
    let directory = package.contest_directory();
    let _lock = BuildLock::take(&directory)?;
    let runtime = obtain_runtime(&toolchain, sources, &directory, options, on_event)?;
    let facade = runtime.facade.clone();
    let mut build = |package: &SubjectPackage| {
        driver_build::build_driver(
            &toolchain,
            facade.clone(),
            package,
            catalog,
            options,
            on_event,
        )
    };
    let (built, providers) = providers::with_providers(package, &mut build)?;
    if !providers.is_empty() {
        on_event(BuildEvent::Provided { providers });
    }

    // Another run of the tool may build another driver in the same place while this one is still in use.
    let scratch = RunDirectory::new(&directory.join("run"))?;
    let executable = scratch
        .path()
        .join(format!("driver{}", std::env::consts::EXE_SUFFIX));
    std::fs::hard_link(&built.executable, &executable)
        .or_else(|_| std::fs::copy(&built.executable, &executable).map(drop))
        .map_err(|source| WriteError::new(&executable, source))?;
    Ok(Driver {
        catalog: built.catalog,
        instrumented: built.instrumented,
        uninstrumented: built.uninstrumented,
        executable,
        scratch,
    })
}
