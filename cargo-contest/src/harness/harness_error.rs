//! Why there is no driver.

use std::io;
use std::path::PathBuf;

use crate::discover::subject_catalog::SubjectCatalog;
use crate::instrument::facade_build::FacadeError;
use crate::workspace::cargo_build::ToolchainError;
use crate::workspace::scratch_dir::WriteError;

/// Why [`prepare`](crate::harness::prepare) failed.
#[derive(Debug)]
pub enum HarnessError {
    /// There is no compiler.
    Toolchain(ToolchainError),
    /// The target directory cannot be written.
    Write(WriteError),
    /// The runtime cannot be built.
    Runtime(FacadeError),
    /// Cargo cannot be run.
    Cargo(PathBuf, io::Error),
    /// Crates have to be downloaded and cannot be; the text is cargo's.
    Offline(String),
    /// The package or one of its dependencies does not compile, without any part of the tool either: the user's to mend.
    SubjectDoesNotBuild {
        /// Its name.
        package: String,
        /// The diagnostics of cargo and the compiler.
        diagnostics: String,
    },
    /// The package compiles as it is but not for the driver.
    NotInstrumentable {
        /// Its name.
        package: String,
        /// The diagnostics of the instrumented build.
        diagnostics: String,
    },
    /// Nothing of the catalog compiles; the reasons are in what is left of it.
    NothingCompiles(Box<SubjectCatalog>),
    /// The driver itself has an error that is of no item: a bug of the tool.
    Driver {
        /// Name of the package.
        package: String,
        /// The diagnostics.
        diagnostics: String,
    },
}

impl std::fmt::Display for HarnessError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Toolchain(error) => error.fmt(f),
            Self::Write(error) => error.fmt(f),
            Self::Runtime(error) => error.fmt(f),
            Self::Cargo(cargo, error) => write!(f, "cannot run {}: {error}", cargo.display()),
            Self::Offline(text) => write!(
                f,
                "crates have to be downloaded and cannot be; run `cargo fetch` once with network access\n{text}"
            ),
            Self::SubjectDoesNotBuild {
                package,
                diagnostics,
            } => write!(f, "`{package}` does not build\n{diagnostics}"),
            Self::NotInstrumentable {
                package,
                diagnostics,
            } => write!(
                f,
                "`{package}` builds, but not with the instrumented standard library\n{diagnostics}"
            ),
            Self::NothingCompiles(catalog) => {
                write!(f, "no subject of the package compiles in a driver")?;
                for skipped in &catalog.skipped {
                    write!(f, "\n{}: {}", skipped.item, skipped.why)?;
                }
                Ok(())
            }
            Self::Driver {
                package,
                diagnostics,
            } => write!(
                f,
                "the generated driver of `{package}` does not build; this is a bug of cargo-contest\n{diagnostics}"
            ),
        }
    }
}

impl std::error::Error for HarnessError {}

impl From<ToolchainError> for HarnessError {
    fn from(error: ToolchainError) -> Self {
        Self::Toolchain(error)
    }
}

impl From<WriteError> for HarnessError {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}

impl From<FacadeError> for HarnessError {
    fn from(error: FacadeError) -> Self {
        match error {
            FacadeError::Write(error) => Self::Write(error),
            other => Self::Runtime(other),
        }
    }
}
