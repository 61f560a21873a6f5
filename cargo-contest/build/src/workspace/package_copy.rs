//! A package of the registry as the root of a workspace of its own: only there does cargo build its tests, with its
//! development dependencies. The user's tree is not touched.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::scratch_dir::{WriteError, make_directory, write_if_changed};
use super::selection::{Package, PackageSource};

/// Written last, with the features: the copy is whole.
const STAMP: &str = ".contest-copy-3";
/// Beside the manifest of the copy: what was taken out of it.
const LEFT_OUT: &str = ".contest-left-out";
/// Files that are not copied: the lock file is that of the user's workspace, and so is the compiler.
const NOT_COPIED: [&str; 3] = ["Cargo.lock", "rust-toolchain", "rust-toolchain.toml"];

/// Copies the package below its target directory, unless that was done before; its manifest there. Versions are those
/// of the user's lock file, as far as it has them, and features are those of the user's graph, beside the default ones.
///
/// # Errors
/// If a file cannot be read or written.
pub fn copy_package(package: &Package) -> Result<PathBuf, WriteError> {
    let source = package.manifest_path.parent().unwrap_or(Path::new("/"));
    let commit = match &package.source {
        PackageSource::Git(source) => source.rsplit_once('#').map_or("", |(_, commit)| commit),
        _ => "",
    };
    let name = format!("{}-{}{commit}", package.name, package.version);
    let copy = package.target_directory.join("contest/copies").join(name);
    let manifest = copy.join("Cargo.toml");
    let features = package.features.join(",");
    if fs::read_to_string(copy.join(STAMP)).ok().as_ref() != Some(&features) {
        // What an earlier version, or a killed run, has left.
        match fs::remove_dir_all(&copy) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(WriteError::new(&copy, error));
            }
            _ => copy_directory(source, &copy)?,
        }
        let root = fs::read_to_string(package.workspace_root.join("Cargo.toml"));
        let text = fs::read_to_string(&package.manifest_path)
            .map_err(|error| WriteError::reading(&package.manifest_path, error))?;
        let root = root.unwrap_or_default();
        let text = own_workspace(&text, &root, &package.workspace_root, &package.features);
        write_if_changed(&manifest, &text)?;
        let lock_file = copy.join("Cargo.lock");
        if package.lock_file.is_file() {
            fs::copy(&package.lock_file, &lock_file)
                .map_err(|error| WriteError::new(&lock_file, error))?;
        }
        write_if_changed(&copy.join(STAMP), &features)?;
    }
    Ok(manifest)
}

/// Takes out of the copy the development dependency that cargo could not find, in whose words it is named. False if
/// there is none.
///
/// # Errors
/// If a file cannot be read or written.
pub fn leave_out_missing(manifest: &Path, said: &str) -> Result<bool, WriteError> {
    let text =
        fs::read_to_string(manifest).map_err(|error| WriteError::reading(manifest, error))?;
    let Some((text, name)) = without_missing(&text, said) else {
        return Ok(false);
    };
    write_if_changed(manifest, &text)?;
    let note = manifest.with_file_name(LEFT_OUT);
    let before = fs::read_to_string(&note).unwrap_or_default();
    write_if_changed(&note, &format!("{before}{name}\n"))?;
    Ok(true)
}

/// Development dependencies that were taken out of the copy.
#[must_use]
pub fn left_out_of(manifest: &Path) -> Vec<String> {
    let note = fs::read_to_string(manifest.with_file_name(LEFT_OUT)).unwrap_or_default();
    note.lines().map(str::to_owned).collect()
}

/// The manifest without a development dependency that cargo names between backquotes, and its name.
fn without_missing(manifest: &str, said: &str) -> Option<(String, String)> {
    let mut table: Table = manifest.parse().ok()?;
    // `name`, or `name = "^1"`.
    let words = said.split('`').skip(1).step_by(2);
    let names: Vec<&str> = words
        .filter_map(|it| it.split_whitespace().next())
        .collect();
    let is_named = |key: &str, value: &Value| {
        let package = value.get("package").and_then(Value::as_str).unwrap_or(key);
        names.contains(&package)
    };
    let mut places: Vec<&mut Table> = Vec::new();
    let mut targets = None;
    for (key, value) in &mut table {
        match (key.as_str(), value) {
            ("dev-dependencies" | "dev_dependencies", Value::Table(dependencies)) => {
                places.push(dependencies);
            }
            ("target", Value::Table(all)) => targets = Some(all),
            _ => {}
        }
    }
    for (_, target) in targets.into_iter().flatten() {
        if let Some(Value::Table(dependencies)) = target.get_mut("dev-dependencies") {
            places.push(dependencies);
        }
    }
    let mut left_out = None;
    for place in places {
        let found = place.iter().find(|(key, value)| is_named(key, value));
        if let Some(key) = found.map(|it| it.0.clone()) {
            place.remove(&key);
            left_out = Some(key);
        }
    }
    Some((table.to_string(), left_out?))
}

/// The manifest as the root of a workspace, with the patches of the user's workspace and these features.
fn own_workspace(manifest: &str, root: &str, workspace_root: &Path, features: &[String]) -> String {
    let Ok(mut manifest) = manifest.parse::<Table>() else {
        // Cargo says what is wrong with it.
        return manifest.to_owned();
    };
    let root: Table = root.parse().unwrap_or_default();
    manifest
        .entry("workspace")
        .or_insert_with(|| Value::Table(Table::new()));
    turn_on(&mut manifest, features);
    if let Some(patches) = root.get("patch") {
        let mut patches = patches.clone();
        make_paths_absolute(&mut patches, workspace_root);
        manifest.insert("patch".into(), patches);
    }
    manifest.to_string()
}

/// Makes default features of these.
fn turn_on(manifest: &mut Table, features: &[String]) {
    let table = manifest
        .entry("features")
        .or_insert_with(|| Value::Table(Table::new()));
    let Value::Table(table) = table else {
        return;
    };
    let default = table
        .entry("default")
        .or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(default) = default {
        let missing = features.iter().filter(|it| *it != "default");
        let missing: Vec<Value> = missing
            .map(|it| Value::String(it.clone()))
            .filter(|it| !default.contains(it))
            .collect();
        default.extend(missing);
    }
}

/// Every `path` in the value, relative to `base` until now.
pub fn make_paths_absolute(value: &mut Value, base: &Path) {
    if let Value::Table(table) = value {
        for (key, value) in table.iter_mut() {
            match value {
                Value::String(path) if key == "path" => {
                    *path = base.join(&*path).to_string_lossy().into_owned();
                }
                _ => make_paths_absolute(value, base),
            }
        }
    }
}

fn copy_directory(from: &Path, to: &Path) -> Result<(), WriteError> {
    make_directory(to)?;
    let unreadable = |error| WriteError::reading(from, error);
    for entry in fs::read_dir(from).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let (path, name) = (entry.path(), entry.file_name());
        let kind = entry.file_type().map_err(unreadable)?;
        let target = to.join(&name);
        if kind.is_dir() {
            if name != "target" && name != ".git" {
                copy_directory(&path, &target)?;
            }
        } else if NOT_COPIED.iter().all(|it| name != *it) {
            copy_file(&path, &target).map_err(|error| WriteError::new(&target, error))?;
        }
    }
    Ok(())
}

/// Contents only: the copy can be written, and is as new as it is.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    match fs::read(from) {
        Ok(bytes) => fs::write(to, bytes),
        // A link that leads nowhere.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_development_dependency_that_was_never_published_is_taken_out() {
        let manifest = "[dependencies]\na = \"1\"\n[dev-dependencies]\nb = \"1\"\na = \"1\"\n\
                        [target.\"cfg(unix)\".dev-dependencies.other]\nversion = \"0.1\"\npackage = \"test-tools\"\n";
        let said = "no matching package named `test-tools` found\nlocation searched: crates.io index\n\
                    required by package `x v0.1.0 (/x)`";
        let (text, name) = without_missing(manifest, said).unwrap();
        assert_eq!(name, "other");
        assert!(
            !text.contains("test-tools") && text.contains("b = \"1\""),
            "{text}"
        );
        let said = "failed to select a version for the requirement `b = \"^1\"` (locked to 1.0.0)";
        let (text, name) = without_missing(&text, said).unwrap();
        assert_eq!(name, "b");
        assert_eq!(without_missing(&text, said), None);
        // What the package itself needs stays.
        let (text, _) = without_missing(manifest, "no matching package named `a` found").unwrap();
        assert!(text.starts_with("[dependencies]\na = \"1\""), "{text}");
    }

    #[test]
    fn the_compiler_of_the_package_is_not_taken() {
        let directory = tempfile::tempdir().unwrap();
        let (from, to) = (directory.path().join("from"), directory.path().join("to"));
        fs::create_dir_all(from.join("src")).unwrap();
        for file in ["rust-toolchain", "rust-toolchain.toml", "src/lib.rs"] {
            fs::write(from.join(file), "").unwrap();
        }
        copy_directory(&from, &to).unwrap();
        assert!(to.join("src/lib.rs").is_file());
        assert!(!to.join("rust-toolchain").exists() && !to.join("rust-toolchain.toml").exists());
    }

    #[test]
    fn the_copy_is_a_workspace_of_its_own_with_the_patches_of_the_users() {
        let manifest =
            "[package]\nname = \"a\"\n[features]\ndefault = [\"std\"]\nstd = []\nfull = []\n";
        let root = "[patch.crates-io]\nb = { path = \"../b\" }\n";
        let features = ["default", "std", "full"].map(String::from);
        let text = own_workspace(manifest, root, Path::new("/home/me/c"), &features);
        let table: Table = text.parse().unwrap();
        let default = table["features"]["default"].as_array().unwrap();
        let default: Vec<&str> = default.iter().filter_map(Value::as_str).collect();
        assert_eq!(default, ["std", "full"]);
        assert!(table["workspace"].is_table());
        let path = table["patch"]["crates-io"]["b"]["path"].as_str().unwrap();
        assert_eq!(path, "/home/me/c/../b");
    }
}
