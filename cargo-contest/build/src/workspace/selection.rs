//! Package selection: what the user typed, and the package found.

use std::path::{Path, PathBuf};

use super::internal_sources::InternalSources;

/// What the user typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// `--manifest-path`: a `Cargo.toml`; without it cargo looks in the working directory and above.
    pub manifest_path: Option<PathBuf>,
    /// `-p`: a name, `name@version` or a full package id, of any package of the resolved graph.
    pub package: Option<String>,
    /// Features of the workspace, as for `cargo build`.
    pub features: FeatureSelection,
    /// More arguments for cargo, such as `--offline`.
    pub cargo_arguments: Vec<String>,
}

/// `--features`, `--all-features`, `--no-default-features`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeatureSelection {
    /// `--features`, one or more.
    pub features: Vec<String>,
    /// `--all-features`.
    pub all_features: bool,
    /// `--no-default-features`.
    pub no_default_features: bool,
}

impl FeatureSelection {
    /// As arguments of cargo.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if !self.features.is_empty() {
            arguments.push("--features".to_owned());
            arguments.push(self.features.join(","));
        }
        if self.all_features {
            arguments.push("--all-features".to_owned());
        }
        if self.no_default_features {
            arguments.push("--no-default-features".to_owned());
        }
        arguments
    }
}

/// Where a package comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackageSource {
    /// A directory on this machine.
    Path(PathBuf),
    /// A registry, as `cargo metadata` writes it: `registry+https://github.com/rust-lang/crates.io-index`,
    /// `sparse+https://…`.
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

/// A package of the resolved graph: with a library, or a binary whose code is tested as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Name in its manifest.
    pub name: String,
    /// Version in its manifest.
    pub version: String,
    /// Cargo's id, usable as `-p`.
    pub id: String,
    /// Its `Cargo.toml`.
    pub manifest_path: PathBuf,
    /// Name of the library crate: what a dependent writes. Of a binary, the name that its code has as a library.
    pub library: String,
    /// Root source file of the library, or of the binary.
    pub library_source: PathBuf,
    /// `2021`.
    pub edition: String,
    /// Where it comes from.
    pub source: PackageSource,
    /// Features it is built with in this graph.
    pub features: Vec<String>,
    /// Root of the workspace it was found in, which need not be its own.
    pub workspace_root: PathBuf,
    /// The manifest that cargo has to be pointed to so that it resolves the same graph.
    pub graph_manifest: PathBuf,
    /// It belongs to that workspace.
    pub is_member: bool,
    /// The workspace has other members, which may turn on features of it.
    pub has_siblings: bool,
    /// Other members with a library, if the user named none.
    pub other_members: Vec<String>,
    /// Ids of the members that features of the command line are for.
    pub graph_members: Vec<String>,
    /// Cargo's target directory.
    pub target_directory: PathBuf,
    /// `Cargo.lock` of the workspace, whether or not it exists.
    pub lock_file: PathBuf,
    /// `[package.metadata]` of its manifest.
    pub metadata: serde_json::Value,
    /// `[workspace.metadata]` of the workspace it was found in.
    pub workspace_metadata: serde_json::Value,
    /// Its crate name for contest-runtime, if its tests depend on it with the feature `explore`.
    pub runtime: Option<String>,
    /// The key of that dependency in its manifest.
    pub runtime_dependency: Option<String>,
    /// Libraries of the graph below it, nearest first.
    pub dependencies: Vec<DependencyLibrary>,
    /// The binary that stands for its library, if it has none.
    pub binary: Option<BinaryRoot>,
    /// It has binaries and is not published (`publish = false`): its library is for them.
    pub is_application: bool,
    /// The copy of its sources that is compiled instead, with types that are not public.
    pub internal: Option<InternalSources>,
    /// The tokio of the graph, if code of the package or of its dependencies needs a runtime of it.
    pub tokio: Option<Tokio>,
    /// Crates that it depends on by name.
    pub named: Vec<NamedCrate>,
    /// Other libraries of the graph, also those that only tests or other members need.
    pub others: Vec<GraphPackage>,
}

impl Package {
    /// As messages have it: `alpha 0.1.0`.
    #[must_use]
    pub fn name_and_version(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

/// A binary whose code is tested, of a package that has no library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinaryRoot {
    /// Its name.
    pub name: String,
    /// Names of the other binaries of the package.
    pub others: Vec<String>,
}

/// A library of the resolved graph that drivers may depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphPackage {
    /// Name of the package.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where it comes from.
    pub source: PackageSource,
    /// Features it is built with in this graph.
    pub features: Vec<String>,
    /// Crate name.
    pub library: String,
    /// The folder of its root source file.
    pub sources: PathBuf,
}

/// A crate that code beside the package may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCrate {
    /// As the package writes it.
    pub path: String,
    /// Its own name, with which definition paths begin.
    pub library: String,
    /// Name of the package.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where it comes from.
    pub source: PackageSource,
    /// Features it is built with in this graph.
    pub features: Vec<String>,
    /// Crates that it depends on itself, some of whose items it may re-export; of a crate beside the package, only
    /// members of the workspace.
    pub uses: Vec<String>,
    /// The package does not depend on it: another member of the workspace, which may have implementations of traits
    /// that the package uses.
    pub is_beside: bool,
}

/// A library that a package may mention in its API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependencyLibrary {
    /// Crate name.
    pub library: String,
    /// Cargo's package id.
    pub id: String,
    /// Version.
    pub version: String,
}

/// The tokio that a package is built with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokio {
    /// Its version.
    pub version: String,
    /// Where it comes from.
    pub source: PackageSource,
    /// It has timers.
    pub time: bool,
    /// Its runtime may have several threads.
    pub workers: bool,
    /// What the tests of the package call it, if they can name it.
    pub library: Option<String>,
}

/// Why no package was selected.
#[derive(Debug, thiserror::Error)]
pub enum SelectionError {
    /// `cargo metadata` failed: no manifest, a bad one, no network.
    #[error("cargo could not read the workspace:\n{0}")]
    Metadata(String),
    /// `cargo` could not be started.
    #[error("cannot start cargo")]
    Start(#[source] std::io::Error),
    /// Its output could not be parsed.
    #[error("cannot read the answer of cargo metadata")]
    Answer(#[source] serde_json::Error),
    /// `-p` matches nothing.
    #[error("no package of the resolved graph matches `{0}`{near}", near = near(.1))]
    NoMatch(String, Vec<String>),
    /// `-p` matches more than one.
    #[error("`{0}` matches more than one package; choose one with -p:\n  {list}", list = .1.join("\n  "))]
    SeveralMatch(String, Vec<String>),
    /// A virtual workspace and no `-p`.
    #[error("this is a workspace; choose a package with -p:\n  {list}", list = .0.join("\n  "))]
    Choose(Vec<String>),
    /// All members are excluded or have nothing to test.
    #[error("no member of the workspace is left to test:\n  {list}", list = .0.join("\n  "))]
    NoMember(Vec<String>),
    /// `--exclude` with something that is no pattern.
    #[error("--exclude {0}: {1}; `*`, `?` and `[…]` are wildcards")]
    Pattern(String, String),
    /// `--features` names what no selected member has.
    #[error("none of the selected packages has the feature `{0}`")]
    NoFeature(String),
    /// Neither a library nor a binary.
    #[error(
        "package `{0}` has neither a library nor a binary whose features are on; name a dependency or another member with -p"
    )]
    NoLibrary(String),
    /// A procedural macro.
    #[error("package `{0}` is a proc-macro crate: there is nothing in it that threads could share")]
    ProcMacro(String),
}

fn near(names: &[String]) -> String {
    if names.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", names.join(" or "))
    }
}
