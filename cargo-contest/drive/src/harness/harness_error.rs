//! Why there is no driver.

use std::io;
use std::path::PathBuf;

use contest_build::instrument::facade_build::FacadeError;
use contest_build::workspace::cargo_build::ToolchainError;
use contest_build::workspace::scratch_dir::WriteError;
use contest_catalog::subject_catalog::{Given, SubjectCatalog};

/// Why [`prepare`](crate::harness::prepare) failed.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    /// There is no compiler.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// The target directory cannot be written.
    #[error(transparent)]
    Write(WriteError),
    /// The runtime cannot be built.
    #[error(transparent)]
    Runtime(FacadeError),
    /// Cargo cannot be run.
    #[error("cannot run {path}: {1}", path = .0.display())]
    Cargo(PathBuf, #[source] io::Error),
    /// Crates have to be downloaded and cannot be; the text is cargo's.
    #[error(
        "crates have to be downloaded and cannot be; run `cargo fetch` once with network access\n{0}"
    )]
    Offline(String),
    /// Cargo refuses the selection of packages, targets or features; the text is cargo's.
    #[error("{0}")]
    Refused(String),
    /// What was built is not what a plain `cargo test` would build.
    #[error(
        "the tests that were built are not those of a plain `cargo test`, so none is run; this is a bug of cargo-contest\n  {list}",
        list = .0.join("\n  ")
    )]
    OtherTests(Vec<String>),
    /// The package or one of its dependencies does not compile, even without instrumentation: an error in the user's
    /// sources.
    #[error("`{package}` does not build\n{diagnostics}")]
    SubjectDoesNotBuild {
        /// Name of the package.
        package: String,
        /// The diagnostics of cargo and the compiler.
        diagnostics: String,
    },
    /// The package compiles as it is but not for the driver.
    #[error("`{package}` builds, but not with the instrumented standard library\n{diagnostics}")]
    NotInstrumentable {
        /// Name of the package.
        package: String,
        /// The diagnostics of the instrumented build.
        diagnostics: String,
    },
    /// An expression of the manifest does not compile.
    #[error("{} does not compile: `{}`\n{why}", .given.setting, .given.expression)]
    Setting {
        /// The setting.
        given: Given,
        /// What the compiler says.
        why: String,
    },
    /// Nothing of the catalog compiles; the reasons are in what is left of it.
    #[error("no subject of the package compiles in a driver{}", reasons(.0))]
    NothingCompiles(Box<SubjectCatalog>),
    /// The driver has an error outside all items: a bug of the tool.
    #[error(
        "the generated driver of `{package}` does not build; this is a bug of cargo-contest\n{diagnostics}"
    )]
    Driver {
        /// Name of the package.
        package: String,
        /// The diagnostics.
        diagnostics: String,
    },
}

/// All that is written here is in the target directory.
impl From<WriteError> for HarnessError {
    fn from(error: WriteError) -> Self {
        Self::Write(error.of_target())
    }
}

fn reasons(catalog: &SubjectCatalog) -> String {
    let skipped = catalog.skipped.iter();
    skipped
        .map(|it| format!("\n{}: {}", it.item, it.why))
        .collect()
}

impl From<FacadeError> for HarnessError {
    fn from(error: FacadeError) -> Self {
        match error {
            FacadeError::Write(error) => Self::Write(error),
            other => Self::Runtime(other),
        }
    }
}
