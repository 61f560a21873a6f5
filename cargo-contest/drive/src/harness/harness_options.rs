//! How a driver is built.

use std::ffi::OsString;
use std::path::PathBuf;

use contest_build::instrument::runtime_sources::EmbeddedFiles;

/// How a driver is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HarnessOptions {
    /// Cargo profile: `dev`, as in `cargo test`.
    pub profile: String,
    /// Diagnostics for a terminal, with colours.
    pub color: bool,
    /// Make every memory access of the code under test visible.
    pub memory: bool,
    /// Without optimisation, for a debugger.
    pub debuggable: bool,
    /// More arguments for cargo, such as `--offline`.
    pub cargo_arguments: Vec<OsString>,
    /// Directory in which runtimes are kept for all projects; none: they are kept below the target directory.
    pub cache: Option<PathBuf>,
    /// The tool's own executable, which acts as the wrapper of rustc.
    pub wrapper: PathBuf,
    /// Sources of the runtime that the tool carries.
    pub embedded: EmbeddedFiles,
}
