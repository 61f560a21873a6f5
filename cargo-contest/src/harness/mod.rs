//! Catalog in, a driver process out: the wall between the tool and the code under test.
//!
//! [`prepare`] writes a driver crate that links the package under test with the runtime, and builds it instrumented.
//! Items of the catalog that do not compile are left out, with the compiler's message as the reason. [`Driver::start`]
//! runs it; a process that dies or hangs is distinguished from one that is done, and the caller starts the next one.

pub mod subject_package;

pub mod compile_error;
pub mod driver_build;
pub mod driver_manifest;
pub mod driver_process;
pub mod driver_source;
pub mod harness_error;
pub mod left_out;
mod unseen_code;

#[cfg(test)]
mod sample_catalog;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use contest_data::protocol::Request;

use crate::discover::subject_catalog::SubjectCatalog;
use crate::instrument::facade_build::build_facade;
use crate::instrument::runtime_sources::RuntimeSources;
use crate::skipped::Skipped;
use crate::workspace::cargo_build::{CargoMessage, Toolchain};
use crate::workspace::scratch_dir::{BuildLock, RunDirectory, WriteError};

pub use driver_process::{Death, DriverEvent, DriverExit, DriverProcess, Watchdog};
pub use harness_error::HarnessError;
pub use subject_package::SubjectPackage;

/// How to build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HarnessOptions {
    /// Cargo profile: `dev`, as in `cargo test`.
    pub profile: String,
    /// Diagnostics for a terminal, with colours.
    pub color: bool,
    /// Make every memory access of the code under test visible.
    pub memory: bool,
    /// More arguments for cargo, such as `--offline`.
    pub cargo_arguments: Vec<OsString>,
    /// The tool's own executable, which acts as the wrapper of rustc.
    pub wrapper: PathBuf,
}

/// What is being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildStage {
    /// The runtime and the facade, once per tool and toolchain.
    Runtime,
    /// The package under test, its dependencies and the driver.
    Driver,
    /// The package under test without instrumentation, to attribute an error.
    Plain,
}

/// Progress of [`prepare`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildEvent {
    /// A build begins.
    Started(BuildStage),
    /// Cargo's count of units.
    Progress {
        /// Of which build.
        stage: BuildStage,
        /// Units done.
        done: u32,
        /// Units in all.
        total: u32,
        /// Crates under way, as cargo lists them.
        building: String,
    },
    /// A crate is built.
    Built {
        /// By which build.
        stage: BuildStage,
        /// Its name.
        krate: String,
        /// True if an earlier run had built it.
        fresh: bool,
    },
    /// Items of the catalog do not compile; the driver is built again without them.
    LeftOut {
        /// How many are left out by now.
        items: usize,
    },
}

impl BuildEvent {
    /// The event for a message of cargo, if any.
    fn of(stage: BuildStage, message: &CargoMessage) -> Option<Self> {
        match message {
            CargoMessage::Artifact(artifact) => Some(Self::Built {
                stage,
                krate: artifact.target.name.clone(),
                fresh: artifact.fresh,
            }),
            CargoMessage::Progress {
                done,
                total,
                building,
            } => Some(Self::Progress {
                stage,
                done: *done,
                total: *total,
                building: building.clone(),
            }),
            CargoMessage::BuildScript(_) | CargoMessage::Compiler(_) => None,
        }
    }
}

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
        DriverProcess::start(&self.executable, self.scratch.path(), request, watchdog)
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
        &RuntimeSources::embedded(),
        package,
        catalog,
        options,
        on_event,
    )
}

/// [`prepare`] with another runtime than the tool's own.
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
    let directory = package.contest_directory();
    let _lock = BuildLock::take(&directory)?;
    on_event(BuildEvent::Started(BuildStage::Runtime));
    let facade = build_facade(&toolchain, sources, &directory, &mut |message| {
        if let Some(event) = BuildEvent::of(BuildStage::Runtime, &message) {
            on_event(event);
        }
    })?;
    let built =
        driver_build::build_driver(&toolchain, facade, package, catalog, options, on_event)?;

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
