//! A package that has only binaries, with the code of one of them as its library: only a library can be linked to a
//! driver. Its manifest is that of the package with other targets, and stands in the copy of its sources. So the
//! user's tree is not touched.

use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::internal_sources::InternalSources;
use super::package_copy::make_paths_absolute;
use super::scratch_dir::{WriteError, write_if_changed};
use super::selection::Package;

/// Targets of a manifest, and what is said of them.
const TARGETS: [&str; 5] = ["lib", "bin", "test", "example", "bench"];
/// Targets that cargo looks for by itself.
const FOUND: [&str; 5] = [
    "autolib",
    "autobins",
    "autotests",
    "autoexamples",
    "autobenches",
];
/// Tables of a workspace that its members inherit from.
const INHERITED: [&str; 3] = ["package", "dependencies", "lints"];

/// Writes the manifest and the lock file beside the copied sources; the manifest there.
///
/// # Errors
/// If a file cannot be read or written.
pub fn write_manifest(package: &Package, copy: &InternalSources) -> Result<PathBuf, WriteError> {
    let read =
        |path: &Path| fs::read_to_string(path).map_err(|error| WriteError::reading(path, error));
    let root = package.workspace_root.join("Cargo.toml");
    let text = as_library(
        &read(&package.manifest_path)?,
        &read(&root).unwrap_or_default(),
        package,
    );
    let manifest = copy.copy.join("Cargo.toml");
    write_if_changed(&manifest, &text)?;
    if package.lock_file.is_file() {
        let lock_file = read(&package.lock_file)?;
        let (copied, original) = (
            copy.copy.join("Cargo.lock"),
            copy.copy.join("Cargo.lock.orig"),
        );
        // Cargo leaves out of the copy what the package does not need.
        if write_if_changed(&original, &lock_file)? || !copied.is_file() {
            write_if_changed(&copied, &lock_file)?;
        }
    }
    Ok(manifest)
}

/// The manifest of the package as that of a library, the root of a workspace of its own.
fn as_library(manifest: &str, root: &str, package: &Package) -> String {
    let Ok(manifest) = manifest.parse::<Table>() else {
        // Cargo says what is wrong with it.
        return manifest.to_owned();
    };
    let root: Table = root.parse().unwrap_or_default();
    let directory = package.manifest_path.parent().unwrap_or(Path::new("/"));
    let mut manifest = Value::Table(manifest);
    make_paths_absolute(&mut manifest, directory);
    let Value::Table(mut manifest) = manifest else {
        return String::new();
    };
    for target in TARGETS {
        manifest.remove(target);
    }
    if let Some(Value::Table(table)) = manifest.get_mut("package") {
        table.remove("workspace");
        table.remove("default-run");
        for found in FOUND {
            table.insert(found.to_owned(), false.into());
        }
    }
    let mut library = Table::new();
    library.insert("name".to_owned(), package.library.as_str().into());
    let source = package.library_source.to_string_lossy();
    library.insert("path".to_owned(), source.into_owned().into());
    manifest.insert("lib".to_owned(), Value::Table(library));

    let own = root.get("workspace").and_then(Value::as_table);
    let mut workspace = Table::new();
    for name in INHERITED {
        if let Some(table) = own.and_then(|it| it.get(name)) {
            let mut table = table.clone();
            make_paths_absolute(&mut table, &package.workspace_root);
            workspace.insert(name.to_owned(), table);
        }
    }
    if let Some(resolver) = own.and_then(|it| it.get("resolver")) {
        workspace.insert("resolver".to_owned(), resolver.clone());
    }
    manifest.insert("workspace".to_owned(), Value::Table(workspace));
    for name in ["patch", "replace", "profile"] {
        manifest.remove(name);
        if let Some(table) = root.get(name) {
            let mut table = table.clone();
            make_paths_absolute(&mut table, &package.workspace_root);
            manifest.insert(name.to_owned(), table);
        }
    }
    manifest.to_string()
}
