//! Which code of a package is tested: its public interface, or a copy in which types that are not public are, or a
//! binary as a library.

use super::arguments::{cargo_arguments, features};
use super::failure::Failure;
use super::prepare::{compiles, package_directory, read_interface};
use crate::cli::args::CommonArgs;
use contest_build::workspace::binary_copy::write_manifest;
use contest_build::workspace::cargo_metadata::select as select_package;
use contest_build::workspace::internal_sources::InternalSources;
use contest_build::workspace::off_features::off_features;
use contest_build::workspace::selection::{BinaryRoot, Package, Selection, SelectionError};
use contest_catalog::progress_event::ProgressEvent;
use contest_catalog::subject_catalog::SubjectCatalog;
use contest_report::Reporter;

/// The package as it is tested, and what can be tested of it.
pub(super) fn discover(
    package: Package,
    common: &CommonArgs,
    reporter: &mut Reporter,
) -> Result<(Package, SubjectCatalog), Failure> {
    if !package.other_members.is_empty() {
        reporter.event(&ProgressEvent::Warning(format!(
            "members of the workspace that are not tested: {}; --workspace tests all, -p chooses one",
            package.other_members.join(", ")
        )));
    }
    let tested = sources(&package, common, reporter)?;
    let mut found = match read_interface(&tested, common, reporter) {
        Ok(catalog) => (tested, catalog),
        // Names may collide in a copy that the user has not asked for.
        Err(_) if tested.internal.is_some() && package.binary.is_none() && !common.internal => {
            let catalog = read_interface(&package, common, reporter)?;
            let why = "types that are not public are not tested: a copy in which they are does not compile";
            reporter.event(&ProgressEvent::Warning(why.to_owned()));
            (package.clone(), catalog)
        }
        Err(failure) => return Err(failure),
    };
    if is_empty(&found.1)
        && found.0.internal.is_none()
        && let Some(internal) = internal_instead(&package, common)?
        && let Ok(catalog) = read_interface(&internal, common, reporter)
        && !is_empty(&catalog)
    {
        let why = "no public type can be tested, so types that are not public are; --public leaves them out";
        reporter.event(&ProgressEvent::Warning(why.to_owned()));
        found = (internal, catalog);
    }
    if is_empty(&found.1) {
        show_off_features(&package, reporter);
    }
    if found.1.subjects.is_empty() {
        compiles(&found.0, common)?;
    }
    Ok(found)
}

/// Names the features that are off and have types.
pub(super) fn show_off_features(package: &Package, reporter: &mut Reporter) {
    let off: Vec<String> = off_features(package)
        .into_iter()
        .map(|(feature, types)| format!("{feature} ({})", types.join(", ")))
        .collect();
    if !off.is_empty() {
        reporter.event(&ProgressEvent::Warning(format!(
            "features that are off have types: {}; --features turns them on",
            off.join("; ")
        )));
    }
}

fn is_empty(catalog: &SubjectCatalog) -> bool {
    (catalog.subjects.iter()).all(|it| it.operations.is_empty() || it.constructors.is_empty())
}

/// The package with the sources that are tested, as far as its manifest and the arguments decide that.
pub(super) fn sources(
    package: &Package,
    common: &CommonArgs,
    reporter: &mut Reporter,
) -> Result<Package, Failure> {
    if let Some(binary) = &package.binary {
        if common.public {
            return Err(SelectionError::NoLibrary(package.name.clone()).into());
        }
        reporter.event(&ProgressEvent::Warning(instead_of_library(package, binary)));
        return of_binary(package, common);
    }
    if common.internal {
        return with_internal_types(package);
    }
    if !common.public && package.is_application && package.source.is_local() {
        let why = "an application (`publish = false`, with binaries): types that are not public are tested, too; \
             --public leaves them out";
        reporter.event(&ProgressEvent::Warning(why.to_owned()));
        return with_internal_types(package);
    }
    Ok(package.clone())
}

/// `svc` has no library: …
fn instead_of_library(package: &Package, binary: &BinaryRoot) -> String {
    let mut text = format!(
        "`{}` has no library: the types of its binary `{}` are tested, in a copy in which they are public",
        package.name, binary.name
    );
    if !binary.others.is_empty() {
        let others = binary.others.join("`, `");
        text.push_str(&format!("; not tested: `{others}`"));
    }
    text
}

/// The package with types that are not public, where the user has not decided.
pub(super) fn internal_instead(
    package: &Package,
    common: &CommonArgs,
) -> Result<Option<Package>, Failure> {
    let may =
        !common.public && !common.internal && package.binary.is_none() && package.source.is_local();
    may.then(|| with_internal_types(package)).transpose()
}

fn with_internal_types(package: &Package) -> Result<Package, Failure> {
    Ok(Package {
        internal: Some(copied(package)?),
        ..package.clone()
    })
}

fn copied(package: &Package) -> Result<InternalSources, Failure> {
    let name = format!("{}-{}", package.name, package.version);
    let copy = package.target_directory.join("contest/internal").join(name);
    let directory = package_directory(package);
    Ok(InternalSources::of(
        &directory,
        &package.library_source,
        copy,
    )?)
}

/// The package that has the code of the binary as its library. Places are those of the package.
fn of_binary(package: &Package, common: &CommonArgs) -> Result<Package, Failure> {
    let internal = copied(package)?;
    let manifest = write_manifest(package, &internal)?;
    let selection = |offline: bool| {
        let mut cargo_arguments = cargo_arguments(common);
        // What only other members need leaves the lock file of the copy.
        cargo_arguments.retain(|it| it != "--locked");
        if offline {
            cargo_arguments.push("--offline".to_owned());
        }
        Selection {
            manifest_path: Some(manifest.clone()),
            package: None,
            features: features(common),
            cargo_arguments,
        }
    };
    // What the lock file has is seldom new: the network is asked only if it is.
    let copy = select_package(&selection(true)).or_else(|_| select_package(&selection(false)))?;
    Ok(Package {
        manifest_path: package.manifest_path.clone(),
        workspace_root: package.workspace_root.clone(),
        lock_file: package.lock_file.clone(),
        target_directory: package.target_directory.clone(),
        metadata: package.metadata.clone(),
        workspace_metadata: package.workspace_metadata.clone(),
        binary: package.binary.clone(),
        internal: Some(internal),
        ..copy
    })
}
