//! The crates that declare `Stream` and `Sink`, where a package depends on them by name: its types have methods by
//! these traits, which neither it nor `std` gives a path to.

use cargo_metadata::{DependencyKind, Metadata, PackageId};

use super::selection::{PackageSource, TraitCrate};

const CRATES: [&str; 2] = ["futures-core", "futures-sink"];

/// Those that the library of `package` is built with, under their own names.
pub(super) fn stream_traits(metadata: &Metadata, package: &PackageId) -> Vec<TraitCrate> {
    let mut nodes = metadata.resolve.iter().flat_map(|it| &it.nodes);
    let node = nodes.find(|it| it.id == *package);
    let dependencies = node.into_iter().flat_map(|it| &it.deps).filter(|it| {
        let mut kinds = it.dep_kinds.iter();
        kinds.any(|it| it.kind == DependencyKind::Normal)
    });
    let described = dependencies.filter_map(|dependency| {
        let mut packages = metadata.packages.iter();
        let found = packages.find(|it| it.id == dependency.pkg)?;
        let own_name = found.name.replace('-', "_");
        (CRATES.contains(&found.name.as_str()) && dependency.name == own_name).then(|| {
            let source = found.source.as_ref().map(|it| it.repr.as_str());
            TraitCrate {
                name: found.name.to_string(),
                version: found.version.to_string(),
                source: PackageSource::of(source, found.manifest_path.as_std_path()),
            }
        })
    });
    described.collect()
}
