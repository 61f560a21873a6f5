//! Which packages cargo builds together: as the user typed it, because cargo resolves features for all of them at once.

use std::ffi::OsString;
use std::path::PathBuf;

use super::selection::FeatureSelection;

/// Options of cargo that select packages and features, and the place where they are given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CargoSelection {
    /// The working directory: cargo looks for a manifest and for its configuration there and above.
    pub directory: PathBuf,
    /// `--manifest-path`.
    pub manifest_path: Option<PathBuf>,
    /// `--package`.
    pub package: Option<String>,
    /// `--workspace`.
    pub workspace: bool,
    /// `--exclude`.
    pub exclude: Vec<String>,
    /// `--features` and the like.
    pub features: FeatureSelection,
}

impl CargoSelection {
    /// As arguments of cargo.
    #[must_use]
    pub fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = Vec::new();
        if let Some(manifest) = &self.manifest_path {
            arguments.push("--manifest-path".into());
            arguments.push(manifest.into());
        }
        if let Some(package) = &self.package {
            arguments.extend(["--package".into(), package.into()]);
        }
        if self.workspace {
            arguments.push("--workspace".into());
        }
        for pattern in &self.exclude {
            arguments.extend(["--exclude".into(), pattern.into()]);
        }
        arguments.extend(self.features.arguments().into_iter().map(OsString::from));
        arguments
    }
}
