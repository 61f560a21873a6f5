//! The package under test, as the harness needs to know it.

use std::path::{Path, PathBuf};

/// A package of the resolved graph: a workspace member or any dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectPackage {
    /// Its name, as in its manifest.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where it comes from.
    pub source: PackageSource,
    /// Its features as resolved in the user's workspace.
    pub features: Vec<String>,
    /// Root of the user's workspace: cargo's configuration, profiles, patches and replacements are taken from there.
    pub workspace_root: PathBuf,
    /// Lock file of the resolved graph, if there is one. It is copied.
    pub lock_file: Option<PathBuf>,
    /// Target directory; everything is written below `contest` in it.
    pub target_directory: PathBuf,
}

/// Where a package comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackageSource {
    /// A directory on this machine.
    Path(PathBuf),
    /// A registry, as `cargo metadata` writes it: `registry+https://github.com/rust-lang/crates.io-index`, `sparse+https://…`.
    Registry(String),
    /// A repository, as `cargo metadata` writes it: `git+https://host/path?rev=…#commit`.
    Git(String),
}

impl PackageSource {
    /// From the fields `source` and `manifest_path` of `cargo metadata`.
    #[must_use]
    pub fn of(source: Option<&str>, manifest: &Path) -> Self {
        match source {
            Some(git) if git.starts_with("git+") => Self::Git(git.to_owned()),
            Some(registry) => Self::Registry(registry.to_owned()),
            None => Self::Path(manifest.parent().unwrap_or(manifest).to_owned()),
        }
    }

    /// The field `source` of its entry in a lock file.
    #[must_use]
    pub fn in_lock_file(&self) -> Option<&str> {
        match self {
            Self::Path(_) => None,
            Self::Registry(source) | Self::Git(source) => Some(source),
        }
    }

    /// True if it can change without a change of version.
    #[must_use]
    pub fn is_local(&self) -> bool {
        matches!(self, Self::Path(_))
    }
}

impl SubjectPackage {
    /// Where the tool may write.
    #[must_use]
    pub fn contest_directory(&self) -> PathBuf {
        self.target_directory.join("contest")
    }

    /// Directory of its driver crate. Two versions of a package have two.
    #[must_use]
    pub fn driver_directory(&self) -> PathBuf {
        self.contest_directory()
            .join("driver")
            .join(format!("{}-{}", self.name, self.version))
    }

    /// Name of the driver crate, to rustc.
    #[must_use]
    pub fn driver_crate(&self) -> String {
        format!("contest_driver_{}", self.name.replace('-', "_"))
    }
}
