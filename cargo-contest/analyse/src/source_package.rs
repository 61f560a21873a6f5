//! The package that is analysed.

use std::path::PathBuf;

use contest_build::workspace::selection::{FeatureSelection, Package};

/// What is analysed, and how cargo is called for it.
#[derive(Clone, Debug)]
pub struct SourcePackage {
    /// The package.
    pub package: Package,
    /// Features of the workspace.
    pub features: FeatureSelection,
    /// More arguments for cargo, such as `--offline`.
    pub cargo_arguments: Vec<String>,
    /// The program that is the compiler's wrapper: this one.
    pub tool: PathBuf,
}
