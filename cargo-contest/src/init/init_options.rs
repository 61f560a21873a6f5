//! The package that is added, and options that select its target.

use std::path::PathBuf;

/// The package that is added.
pub const RUNTIME: &str = "contest-runtime";

/// Options of `init`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InitOptions {
    /// `--manifest-path`.
    pub manifest_path: Option<PathBuf>,
    /// `-p`: a member of the workspace.
    pub package: Option<String>,
    /// `--path`: a checkout to take the runtime from, instead of the registry.
    pub checkout: Option<PathBuf>,
    /// `--registry`: from the registry, also if the tool was built from a checkout.
    pub registry: bool,
    /// More arguments for cargo, such as `--offline`.
    pub cargo_arguments: Vec<String>,
}
