//! The package under test, as the harness needs to know it.

use std::path::PathBuf;

use crate::workspace::internal_sources::InternalSources;
use crate::workspace::selection::{PackageSource, Tokio, TraitCrate};

/// A package of the resolved graph: a workspace member or any dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectPackage {
    /// Its name, as in its manifest.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where it comes from.
    pub source: PackageSource,
    /// Where its manifest is.
    pub directory: PathBuf,
    /// Its features as resolved in the user's workspace.
    pub features: Vec<String>,
    /// Root of the user's workspace: cargo's configuration, profiles, patches and replacements are taken from there.
    pub workspace_root: PathBuf,
    /// Lock file of the resolved graph, if there is one. It is copied.
    pub lock_file: Option<PathBuf>,
    /// Version of critical-section, if it is in the graph: drivers provide it with the lock of its feature `std`.
    pub critical_section: Option<String>,
    /// The tokio of the graph, if its code needs a runtime: drivers provide one.
    pub tokio: Option<Tokio>,
    /// Crates with the traits of streams that it depends on: drivers name them.
    pub stream_traits: Vec<TraitCrate>,
    /// The copy of its sources that is compiled instead, with `--internal`.
    pub internal: Option<InternalSources>,
    /// Its driver is of some of its types only. It has a place of its own, beside the one of all types.
    pub of_some_types: bool,
    /// Target directory; everything is written below `contest` in it.
    pub target_directory: PathBuf,
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
        let suffix = if self.of_some_types { "-part" } else { "" };
        self.contest_directory()
            .join("driver")
            .join(format!("{}-{}{suffix}", self.name, self.version))
    }

    /// Name of the driver crate, to rustc.
    #[must_use]
    pub fn driver_crate(&self) -> String {
        let part = if self.of_some_types { "part_" } else { "" };
        format!("contest_driver_{part}{}", self.name.replace('-', "_"))
    }
}
