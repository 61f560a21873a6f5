//! The crates that a package depends on by name: code beside it may name them, too. Its types have methods by their
//! traits, and its methods take values of their types.

use cargo_metadata::{DependencyKind, Metadata, Node, PackageId};

use super::selection::{DependencyLibrary, NamedCrate, PackageSource};
use super::tested_root::library_of;

/// The macros that impl blocks of traits need whose functions they have rewritten.
const ASYNC_TRAIT: &str = "async-trait";

/// Those that the library of `package` is built with.
pub(super) fn named_crates(metadata: &Metadata, package: &PackageId) -> Vec<NamedCrate> {
    let nodes = || metadata.resolve.iter().flat_map(|it| &it.nodes);
    let node_of = |id: &PackageId| nodes().find(|it| it.id == *id);
    let mut found = Vec::new();
    let macros = metadata
        .packages
        .iter()
        .filter(|it| it.name.as_str() == ASYNC_TRAIT);
    if let Some(macros) = macros.max_by_key(|it| &it.version) {
        let source = macros.source.as_ref().map(|it| it.repr.as_str());
        found.push(NamedCrate {
            path: "async_trait".to_owned(),
            library: "async_trait".to_owned(),
            name: ASYNC_TRAIT.to_owned(),
            version: macros.version.to_string(),
            source: PackageSource::of(source, macros.manifest_path.as_std_path()),
            features: Vec::new(),
            uses: Vec::new(),
            is_beside: false,
        });
    }
    for dependency in node_of(package).into_iter().flat_map(built_with) {
        let mut packages = metadata.packages.iter();
        let Some(named) = packages.find(|it| it.id == dependency.pkg) else {
            continue;
        };
        let Ok(library) = library_of(named) else {
            continue;
        };
        let source = named.source.as_ref().map(|it| it.repr.as_str());
        let node = node_of(&named.id);
        let uses = node.into_iter().flat_map(built_with);
        let features = node.into_iter().flat_map(|it| &it.features);
        found.push(NamedCrate {
            path: dependency.name.replace('-', "_"),
            library: library.name.replace('-', "_"),
            name: named.name.to_string(),
            version: named.version.to_string(),
            source: PackageSource::of(source, named.manifest_path.as_std_path()),
            features: features.map(ToString::to_string).collect(),
            uses: uses.map(|it| it.name.replace('-', "_")).collect(),
            is_beside: false,
        });
    }
    found
}

/// Other members of the workspace with a library that is built with a member: those that `package` does not name
/// itself, or only in its tests.
pub(super) fn members_beside(
    metadata: &Metadata,
    package: &PackageId,
    named: &[NamedCrate],
) -> Vec<(NamedCrate, DependencyLibrary)> {
    let nodes = || metadata.resolve.iter().flat_map(|it| &it.nodes);
    let members = || metadata.workspace_packages().into_iter();
    let mut found = Vec::new();
    for member in members().filter(|it| it.id != *package) {
        let Ok(library) = library_of(member) else {
            continue;
        };
        let Some(node) = nodes().find(|it| it.id == member.id) else {
            continue;
        };
        let uses = built_with(node).filter(|it| members().any(|member| member.id == it.pkg));
        let uses: Vec<String> = uses.map(|it| it.name.replace('-', "_")).collect();
        if uses.is_empty() || named.iter().any(|it| *it.name == *member.name) {
            continue;
        }
        let library = library.name.replace('-', "_");
        found.push((
            NamedCrate {
                path: library.clone(),
                library: library.clone(),
                name: member.name.to_string(),
                version: member.version.to_string(),
                source: PackageSource::of(None, member.manifest_path.as_std_path()),
                features: node.features.iter().map(ToString::to_string).collect(),
                uses,
                is_beside: true,
            },
            DependencyLibrary {
                library,
                id: member.id.repr.clone(),
                version: member.version.to_string(),
            },
        ));
    }
    found
}

/// Dependencies of the library itself, neither of its tests nor of its build script.
fn built_with(node: &Node) -> impl Iterator<Item = &cargo_metadata::NodeDep> {
    node.deps.iter().filter(|it| {
        let mut kinds = it.dep_kinds.iter();
        kinds.any(|it| it.kind == DependencyKind::Normal)
    })
}
