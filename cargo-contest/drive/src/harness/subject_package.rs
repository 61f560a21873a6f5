//! The package under test, as the harness needs to know it.

use std::path::PathBuf;

use contest_build::workspace::internal_sources::InternalSources;
use contest_build::workspace::selection::{GraphPackage, NamedCrate, PackageSource, Tokio};

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
    /// Crates that it depends on by name; of those, a driver depends on what its source names.
    pub named: Vec<NamedCrate>,
    /// Other libraries of the graph.
    pub others: Vec<GraphPackage>,
    /// Those of them that drivers name, because they provide symbols that others only declare.
    pub providers: Vec<GraphPackage>,
    /// The copy of its sources that is compiled instead, with `--internal`.
    pub internal: Option<InternalSources>,
    /// What its driver is of.
    pub driver_of: DriverOf,
    /// Target directory; everything is written below `contest` in it.
    pub target_directory: PathBuf,
}

/// What a driver is of. Each has a place of its own, so that none has to be linked again because of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverOf {
    /// All types.
    AllTypes,
    /// Some of them.
    SomeTypes,
    /// Calls that the user has typed.
    Scenario,
    /// Nothing: it is a program that shows a finding with the package as it is.
    Native,
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
        let suffix = match self.driver_of {
            DriverOf::AllTypes => "",
            DriverOf::SomeTypes => "-part",
            DriverOf::Scenario => "-try",
            DriverOf::Native => "-native",
        };
        self.contest_directory()
            .join("driver")
            .join(format!("{}-{}{suffix}", self.name, self.version))
    }

    /// Name of the driver crate, to rustc.
    #[must_use]
    pub fn driver_crate(&self) -> String {
        let of = match self.driver_of {
            DriverOf::AllTypes => "",
            DriverOf::SomeTypes => "part_",
            DriverOf::Scenario => "try_",
            DriverOf::Native => "native_",
        };
        format!("contest_driver_{of}{}", self.name.replace('-', "_"))
    }
}
