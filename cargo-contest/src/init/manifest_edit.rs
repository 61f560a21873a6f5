//! The runtime among the dependencies of a package: without features for builds, with the one for tests for tests.

use std::path::Path;

use toml_edit::{Array, InlineTable, Item, Value, value};

use super::dependency_spec::{DependencySpec, relative};
use super::init_error::InitError;
use super::init_options::RUNTIME;
use super::manifest::{Manifest, inherits};
use super::target_package::TargetPackage;

/// The feature for tests.
const FEATURE: &str = "explore";

/// Adds the runtime to `[dependencies]` without features, and to `[dev-dependencies]` with the one for tests. `root` is
/// the manifest of the workspace, if that is another file. Returns the name under which code of the package knows the
/// crate.
///
/// # Errors
/// If a table has an unexpected form, the dependency is optional, or its names are taken.
pub fn add_runtime(
    own: &mut Manifest,
    root: Option<&mut Manifest>,
    target: &TargetPackage,
    spec: &DependencySpec,
    notes: &mut Vec<String>,
) -> Result<String, InitError> {
    const SHARED: &[&str] = &["workspace", "dependencies"];
    let shared = root.as_deref().unwrap_or(own).runtime_key(SHARED, None);
    let found = own.runtime_key(&["dependencies"], shared.as_deref());
    let of_tests = own.runtime_key(&["dev-dependencies"], shared.as_deref());
    let key = match found.as_ref().or(of_tests.as_ref()).or(shared.as_ref()) {
        Some(key) => key.clone(),
        None => free_name(own, root.as_deref(), target)?,
    };
    let through_workspace = shared.is_some() || inherits_something(own);
    if found.is_none() {
        let item = if let Some(dev) = &of_tests {
            from_same_source(
                &own.get(&["dev-dependencies", dev])
                    .cloned()
                    .unwrap_or_default(),
            )
        } else if through_workspace {
            if shared.is_none() {
                let workspace = root.unwrap_or(&mut *own);
                let item = plain(spec, &key, workspace.path());
                workspace.insert(SHARED, &key, item)?;
            }
            inherited()
        } else {
            plain(spec, &key, own.path())
        };
        own.insert(&["dependencies"], &key, item)?;
        if shared.is_none() && of_tests.is_none() {
            match spec {
                DependencySpec::Version(version) => notes.push(format!(
                    "{RUNTIME} {version}, the version of this tool, is taken from crates.io; for a checkout pass `--path DIR`"
                )),
                DependencySpec::OwnCheckout(path) => notes.push(format!(
                    "{RUNTIME} is taken from {}, from which this tool was built; `--registry` takes it from crates.io, where it must \
                     be published",
                    path.display()
                )),
                DependencySpec::Path(_) => {}
            }
        }
    } else {
        check_found(own, &key, notes)?;
        if matches!(spec, DependencySpec::Path(_)) {
            notes.push(format!(
                "`{key}` is a dependency already and stays as it is; `--path` is for a new one"
            ));
        }
    }
    match of_tests {
        Some(dev) => turn_on(own, &dev)?,
        None => {
            let normal = own
                .get(&["dependencies", &key])
                .cloned()
                .unwrap_or_default();
            own.insert(&["dev-dependencies"], &key, with_feature(&normal))?;
        }
    }
    Ok(crate_name(&key))
}

/// The crate name of a dependency with this key.
fn crate_name(key: &str) -> String {
    if key == RUNTIME {
        "contest".to_owned()
    } else {
        key.replace('-', "_")
    }
}

/// The key for a new dependency: its own name, unless another package is called `contest`, as the library is.
fn free_name(
    own: &Manifest,
    root: Option<&Manifest>,
    target: &TargetPackage,
) -> Result<String, InitError> {
    let taken = |name: &str| {
        let in_table = |manifest: &Manifest, keys: &[&str]| {
            manifest
                .get(keys)
                .and_then(Item::as_table_like)
                .is_some_and(|table| table.iter().any(|(key, _)| key.replace('-', "_") == name))
        };
        target.name.replace('-', "_") == name
            || ["dependencies", "dev-dependencies", "build-dependencies"]
                .iter()
                .any(|keys| in_table(own, &[keys]))
            || in_table(root.unwrap_or(own), &["workspace", "dependencies"])
    };
    if !taken("contest") {
        Ok(RUNTIME.to_owned())
    } else if !taken("contest_rt") {
        Ok("contest_rt".to_owned())
    } else {
        Err(InitError::NamesTaken(own.path().to_path_buf()))
    }
}

/// True if the package takes dependencies from the workspace: then it should take this one from there, too.
fn inherits_something(own: &Manifest) -> bool {
    ["dependencies", "dev-dependencies", "build-dependencies"]
        .iter()
        .filter_map(|keys| own.get(&[keys])?.as_table_like())
        .any(|table| table.iter().any(|(_, item)| inherits(item)))
}

/// An existing dependency stays; problems with it are noted.
fn check_found(own: &Manifest, key: &str, notes: &mut Vec<String>) -> Result<(), InitError> {
    let Some(item) = own.get(&["dependencies", key]) else {
        return Ok(());
    };
    if item.get("optional").and_then(Item::as_bool) == Some(true) {
        return Err(InitError::Optional {
            path: own.path().to_path_buf(),
            key: key.to_owned(),
        });
    }
    if has_feature(item) {
        notes.push(format!(
            "`{key}` has the feature `{FEATURE}` in [dependencies], so it is on in every build, a release too; it belongs into [dev-dependencies]"
        ));
    }
    Ok(())
}

fn has_feature(item: &Item) -> bool {
    item.get("features")
        .and_then(Item::as_array)
        .is_some_and(|features| features.iter().any(|it| it.as_str() == Some(FEATURE)))
}

/// Adds the feature to a dev-dependency that is there.
fn turn_on(own: &mut Manifest, key: &str) -> Result<(), InitError> {
    let path = own.path().to_path_buf();
    let table = own.table(&["dev-dependencies"])?;
    let item = table.get_mut(key).expect("it was found there");
    if has_feature(item) {
        return Ok(());
    }
    let unexpected = || InitError::Edit {
        path,
        why: format!("dev-dependencies.{key} is neither a version nor a table"),
    };
    if item.is_str() {
        *item = with_feature(&item.clone());
    } else {
        let table = item.as_table_like_mut().ok_or_else(unexpected.clone())?;
        let features = table
            .entry("features")
            .or_insert(value(Array::new()))
            .as_array_mut()
            .ok_or_else(unexpected)?;
        features.push(FEATURE);
    }
    own.touch();
    Ok(())
}

/// A new dependency without features.
fn plain(spec: &DependencySpec, key: &str, manifest: &Path) -> Item {
    let mut table = InlineTable::new();
    if key != RUNTIME {
        table.insert("package", RUNTIME.into());
    }
    match spec {
        DependencySpec::Version(version) if table.is_empty() => return value(*version),
        DependencySpec::Version(version) => table.insert("version", (*version).into()),
        DependencySpec::Path(path) | DependencySpec::OwnCheckout(path) => {
            let from = manifest.parent().unwrap_or(Path::new("."));
            table.insert("path", relative(path, from).into())
        }
    };
    value(table)
}

fn inherited() -> Item {
    let mut table = InlineTable::new();
    table.insert("workspace", true.into());
    value(table)
}

/// The same source as a dependency that is there, with the feature for tests and no other.
fn with_feature(normal: &Item) -> Item {
    let mut table = source_of(normal);
    table.insert("features", Value::Array(std::iter::once(FEATURE).collect()));
    value(table)
}

/// The same source as a dependency that is there, without features.
fn from_same_source(of_tests: &Item) -> Item {
    if of_tests.is_str() {
        return of_tests.clone();
    }
    value(source_of(of_tests))
}

/// The keys that define where a dependency comes from.
fn source_of(normal: &Item) -> InlineTable {
    let mut table = InlineTable::new();
    if let Some(version) = normal.as_str() {
        table.insert("version", version.into());
    } else if let Some(entries) = normal.as_table_like() {
        for (key, item) in entries.iter() {
            let belongs_to_source = !matches!(key, "features" | "optional" | "default-features");
            if let (true, Some(value)) = (belongs_to_source, item.as_value()) {
                let mut value = value.clone();
                value.decor_mut().clear();
                table.insert(key, value);
            }
        }
    }
    table
}
