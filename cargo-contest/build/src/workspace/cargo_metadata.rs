//! Selection in, package out, by `cargo metadata`.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::process::Command;

use cargo_metadata::{Metadata, Node, PackageId};

use super::async_runtime::tokio_of;
use super::logged_command::logged_output;
use super::named_crates::{members_beside, named_crates};
use super::selection::{
    DependencyLibrary, GraphPackage, Package, PackageSource, Selection, SelectionError,
};
use super::tested_root::{TestedRoot, has_code, library_of, tested_root};

/// The program to call cargo by: cargo passes its own path to subcommands.
#[must_use]
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The selected package.
///
/// # Errors
/// If the workspace cannot be read or the selection does not lead to one library.
pub fn select(selection: &Selection) -> Result<Package, SelectionError> {
    let metadata = read(selection)?;
    let package = match &selection.package {
        Some(spec) => by_spec(&metadata, spec)?,
        None => default_package(&metadata)?,
    };
    let mut package = describe(&metadata, package)?;
    if selection.package.is_none() {
        let others = members(&metadata).filter(|it| it.id.repr != package.id);
        let others = others.filter(|it| has_code(it));
        package.other_members = others.map(|it| it.name.to_string()).collect();
        package.other_members.sort();
    }
    Ok(package)
}

/// As [`select`], for the tests of a package: it need not have a library, and its library may be a procedural macro.
///
/// # Errors
/// If cargo cannot read the workspace, or the package has no targets.
pub fn select_for_tests(selection: &Selection) -> Result<Package, SelectionError> {
    let metadata = read(selection)?;
    let package = match &selection.package {
        Some(spec) => by_spec(&metadata, spec)?,
        None => default_package(&metadata)?,
    };
    let described = describe_tests(&metadata, package);
    described.ok_or_else(|| SelectionError::NoLibrary(package.name.to_string()))
}

/// As [`select`], for commands that test several packages in one run.
///
/// # Errors
/// Also if the selection names no package, and several members of the workspace are meant.
pub fn select_only(selection: &Selection) -> Result<Package, SelectionError> {
    let package = select(selection)?;
    if selection.package.is_none() && !package.other_members.is_empty() {
        let metadata = read(selection)?;
        let meant = members(&metadata).filter(|it| has_code(it) && is_default(&metadata, it));
        let names: Vec<String> = meant.map(|it| it.name.to_string()).collect();
        if names.len() > 1 {
            return Err(SelectionError::Choose(names));
        }
    }
    Ok(package)
}

/// The package whose manifest the selection names, also where that is the root of a workspace.
///
/// # Errors
/// If the workspace cannot be read, or the manifest is none of a package with a library.
pub fn select_at_manifest(selection: &Selection) -> Result<Package, SelectionError> {
    let metadata = read(selection)?;
    match metadata.root_package() {
        Some(package) => describe(&metadata, package),
        None => select(selection),
    }
}

/// A workspace, with or without libraries.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Its root.
    pub root: PathBuf,
    /// Cargo's target directory.
    pub target_directory: PathBuf,
    /// Its lock file.
    pub lock_file: PathBuf,
    /// `[workspace.metadata]`.
    pub metadata: serde_json::Value,
}

/// The workspace of the selection.
///
/// # Errors
/// If it cannot be read.
pub fn workspace(selection: &Selection) -> Result<Workspace, SelectionError> {
    let metadata = read(selection)?;
    let root = metadata.workspace_root.into_std_path_buf();
    Ok(Workspace {
        lock_file: root.join("Cargo.lock"),
        target_directory: metadata.target_directory.into_std_path_buf(),
        metadata: metadata.workspace_metadata,
        root,
    })
}

pub(super) fn read(selection: &Selection) -> Result<Metadata, SelectionError> {
    let mut command = cargo();
    command.args(["metadata", "--format-version", "1"]);
    if let Some(manifest) = &selection.manifest_path {
        command.arg("--manifest-path").arg(manifest);
    }
    command.args(selection.features.arguments());
    command.args(&selection.cargo_arguments);
    let output = logged_output(&mut command).map_err(SelectionError::Start)?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(SelectionError::Metadata(message.trim_end().to_owned()));
    }
    serde_json::from_slice(&output.stdout).map_err(SelectionError::Answer)
}

pub(super) fn by_spec<'a>(
    metadata: &'a Metadata,
    spec: &str,
) -> Result<&'a cargo_metadata::Package, SelectionError> {
    let resolved: HashSet<&PackageId> = nodes(metadata).map(|it| &it.id).collect();
    let in_graph = || {
        metadata
            .packages
            .iter()
            .filter(|it| resolved.contains(&it.id))
    };
    let matching: Vec<_> = in_graph().filter(|it| matches(it, spec)).collect();
    match matching.as_slice() {
        [] => {
            let normal = |it: &str| it.replace('_', "-").to_lowercase();
            let wanted = normal(spec.split('@').next().unwrap_or(spec));
            let near = in_graph().filter(|it| normal(&it.name) == wanted);
            Err(SelectionError::NoMatch(
                spec.to_owned(),
                near.map(short).collect(),
            ))
        }
        [only] => Ok(only),
        several => {
            // A member takes precedence over a dependency of the same name.
            let members: Vec<_> = several
                .iter()
                .filter(|it| metadata.workspace_members.contains(&it.id))
                .collect();
            if let [only] = members.as_slice() {
                return Ok(only);
            }
            let mut names: Vec<String> = several.iter().map(|it| short(it)).collect();
            names.sort();
            if names.windows(2).any(|it| it[0] == it[1]) {
                names = several.iter().map(|it| it.id.repr.clone()).collect();
            }
            Err(SelectionError::SeveralMatch(spec.to_owned(), names))
        }
    }
}

fn short(package: &cargo_metadata::Package) -> String {
    format!("{}@{}", package.name, package.version)
}

/// `name`, `name@1`, `name@1.2.3`, a full id or its part after `#`.
fn matches(package: &cargo_metadata::Package, spec: &str) -> bool {
    if package.id.repr == spec {
        return true;
    }
    let (name, version) = match spec.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (spec, None),
    };
    let fits = |wanted: &str| {
        let actual = package.version.to_string();
        actual == wanted || actual.starts_with(&format!("{wanted}."))
    };
    *package.name == name && version.is_none_or(fits)
}

fn default_package(metadata: &Metadata) -> Result<&cargo_metadata::Package, SelectionError> {
    let defaults = || members(metadata).filter(|it| is_default(metadata, it));
    let libraries: Vec<_> = defaults().filter(|it| library_of(it).is_ok()).collect();
    let binaries: Vec<_> = defaults().filter(|it| has_code(it)).collect();
    match (libraries.as_slice(), metadata.root_package()) {
        ([only], _) => Ok(only),
        ([], None) if binaries.len() == 1 => Ok(binaries[0]),
        // What is wrong with it is said later.
        ([], Some(root)) => Ok(root),
        _ => {
            let mut names: Vec<String> = members(metadata).map(|it| it.name.to_string()).collect();
            names.sort();
            Err(SelectionError::Choose(names))
        }
    }
}

pub(super) fn members(metadata: &Metadata) -> impl Iterator<Item = &cargo_metadata::Package> {
    let packages = metadata.packages.iter();
    packages.filter(|it| metadata.workspace_members.contains(&it.id))
}

/// True for a member that commands are for if none is named. As in cargo, that is the package whose manifest is named
/// or nearest, unless it is the root of the workspace, which may name others.
pub(super) fn is_default(metadata: &Metadata, member: &cargo_metadata::Package) -> bool {
    let root_manifest = metadata.workspace_root.join("Cargo.toml");
    // Cargo before 1.71 does not say which members are the default ones.
    let defaults = &metadata.workspace_default_members;
    match metadata.root_package() {
        Some(package) if package.manifest_path != root_manifest || !defaults.is_available() => {
            package.id == member.id
        }
        _ => !defaults.is_available() || defaults.contains(&member.id),
    }
}

fn nodes(metadata: &Metadata) -> impl Iterator<Item = &Node> {
    metadata.resolve.iter().flat_map(|it| &it.nodes)
}

fn describe(
    metadata: &Metadata,
    package: &cargo_metadata::Package,
) -> Result<Package, SelectionError> {
    let features = features_of(metadata, &package.id);
    Ok(described(
        metadata,
        package,
        tested_root(package, &features)?,
    ))
}

/// A package for its tests; it need not have a library.
pub(super) fn describe_tests(
    metadata: &Metadata,
    package: &cargo_metadata::Package,
) -> Option<Package> {
    let features = features_of(metadata, &package.id);
    let root = tested_root(package, &features).ok();
    let root = root.or_else(|| {
        let mut targets = package.targets.iter();
        Some(TestedRoot {
            target: targets.find(|it| !it.is_custom_build())?,
            binary: None,
        })
    })?;
    Some(described(metadata, package, root))
}

fn described(
    metadata: &Metadata,
    package: &cargo_metadata::Package,
    root_target: TestedRoot<'_>,
) -> Package {
    let is_member = metadata.workspace_members.contains(&package.id);
    let source = package.source.as_ref().map(|it| it.repr.as_str());
    let source = PackageSource::of(source, package.manifest_path.as_std_path());
    let features = features_of(metadata, &package.id);
    let TestedRoot { target, binary } = root_target;
    let library = match &binary {
        None => &target.name,
        Some(_) => package.name.as_str(),
    };
    let root = metadata.workspace_root.clone().into_std_path_buf();
    let graph_manifest = match metadata.root_package() {
        _ if is_member => package.manifest_path.clone().into_std_path_buf(),
        Some(package) => package.manifest_path.clone().into_std_path_buf(),
        None => root.join("Cargo.toml"),
    };
    let graph_members = match metadata.root_package() {
        Some(package) => vec![package.id.repr.clone()],
        None => metadata
            .workspace_members
            .iter()
            .map(|it| it.repr.clone())
            .collect(),
    };
    let mut dependencies = dependencies(metadata, &package.id);
    let mut named = named_crates(metadata, &package.id);
    if is_member {
        for (member, library) in members_beside(metadata, &package.id, &named) {
            named.push(member);
            dependencies.push(library);
        }
    }
    Package {
        is_member,
        has_siblings: metadata.workspace_members.len() > 1,
        other_members: Vec::new(),
        internal: None,
        graph_members,
        name: package.name.to_string(),
        version: package.version.to_string(),
        id: package.id.repr.clone(),
        manifest_path: package.manifest_path.clone().into_std_path_buf(),
        library: library.replace('-', "_"),
        library_source: target.src_path.clone().into_std_path_buf(),
        is_application: package.publish.as_ref().is_some_and(Vec::is_empty)
            && package.targets.iter().any(cargo_metadata::Target::is_bin),
        binary,
        edition: package.edition.to_string(),
        source,
        features,
        lock_file: root.join("Cargo.lock"),
        workspace_root: root,
        graph_manifest,
        target_directory: metadata.target_directory.clone().into_std_path_buf(),
        metadata: package.metadata.clone(),
        workspace_metadata: metadata.workspace_metadata.clone(),
        runtime: runtime(package)
            .map(|it| it.rename.as_deref().unwrap_or("contest").replace('-', "_")),
        runtime_dependency: runtime(package)
            .map(|it| it.rename.clone().unwrap_or_else(|| it.name.clone())),
        dependencies,
        tokio: tokio_of(metadata, &package.id),
        named,
        others: others(metadata, &package.id),
    }
}

/// The dependency on contest-runtime that gives the tests of a package the types of its feature `explore`.
fn runtime(package: &cargo_metadata::Package) -> Option<&cargo_metadata::Dependency> {
    package.dependencies.iter().find(|it| {
        it.name == "contest-runtime"
            && it.kind != cargo_metadata::DependencyKind::Build
            && it.features.iter().any(|feature| feature == "explore")
    })
}

fn features_of(metadata: &Metadata, package: &PackageId) -> Vec<String> {
    let node = nodes(metadata).find(|it| it.id == *package);
    let features = node.into_iter().flat_map(|it| &it.features);
    features.map(ToString::to_string).collect()
}

/// All libraries of the graph but this one.
fn others(metadata: &Metadata, package: &PackageId) -> Vec<GraphPackage> {
    let resolved: HashSet<&PackageId> = nodes(metadata).map(|it| &it.id).collect();
    let packages = metadata.packages.iter();
    let others = packages.filter(|it| it.id != *package && resolved.contains(&it.id));
    let described = others.filter_map(|it| {
        let library = library_of(it).ok()?;
        let source = it.source.as_ref().map(|it| it.repr.as_str());
        Some(GraphPackage {
            name: it.name.to_string(),
            version: it.version.to_string(),
            source: PackageSource::of(source, it.manifest_path.as_std_path()),
            features: features_of(metadata, &it.id),
            library: library.name.replace('-', "_"),
            sources: library.src_path.parent()?.into(),
        })
    });
    described.collect()
}

/// Libraries below a package, breadth first.
fn dependencies(metadata: &Metadata, of: &PackageId) -> Vec<DependencyLibrary> {
    let nodes: HashMap<&PackageId, &Node> = nodes(metadata).map(|it| (&it.id, it)).collect();
    let packages: HashMap<_, _> = metadata.packages.iter().map(|it| (&it.id, it)).collect();
    let mut found = Vec::new();
    let mut seen: HashSet<&PackageId> = HashSet::from([of]);
    let mut queue = VecDeque::from([of]);
    while let Some(id) = queue.pop_front() {
        for dependency in nodes.get(id).iter().flat_map(|it| &it.deps) {
            if !seen.insert(&dependency.pkg) {
                continue;
            }
            queue.push_back(&dependency.pkg);
            let Some(package) = packages.get(&dependency.pkg) else {
                continue;
            };
            if let Ok(library) = library_of(package) {
                found.push(DependencyLibrary {
                    library: library.name.replace('-', "_"),
                    id: package.id.repr.clone(),
                    version: package.version.to_string(),
                });
            }
        }
    }
    found
}
