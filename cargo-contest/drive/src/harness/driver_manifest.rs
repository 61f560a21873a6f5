//! Manifest and lock file of a driver crate: what the user's build would use, for one more root package.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use toml::{Table, Value};

use crate::harness::driver_source::SOURCE_FILE;
use crate::harness::subject_package::SubjectPackage;
use contest_build::workspace::package_copy::make_paths_absolute;
use contest_build::workspace::selection::{PackageSource, Tokio};

/// Tables of the user's root manifest that decide how dependencies are found and built.
const COPIED: [&str; 4] = ["cargo-features", "profile", "patch", "replace"];

/// Of the code under test, unless the user's profile names one. Drop-in types are generic and compiled with the code
/// under test, so that without optimisation most of an execution is calls of small functions; level 2 inlines what is
/// never executed twice and gains nothing. Debug assertions and overflow checks are settings of their own and stay.
pub(super) const OPT_LEVEL: i64 = 1;

const TOKIO: &str = "tokio";
const CRITICAL_SECTION: &str = "critical-section";

/// Manifest of the driver of `package`, given the text of the user's root manifest.
#[must_use]
pub fn driver_manifest(package: &SubjectPackage, root_manifest: &str) -> String {
    let root: Table = root_manifest.parse().unwrap_or_default();
    let mut manifest = Table::new();
    for name in COPIED {
        if let Some(table) = root.get(name) {
            let mut table = table.clone();
            if name == "patch" || name == "replace" {
                make_paths_absolute(&mut table, &package.workspace_root);
            }
            manifest.insert(name.into(), table);
        }
    }
    optimise(&mut manifest);
    let name = package.driver_crate();
    manifest.insert(
        "package".into(),
        table([
            ("name", name.replace('_', "-").into()),
            ("version", "0.0.0".into()),
            ("edition", "2024".into()),
            ("publish", false.into()),
            ("autobins", false.into()),
        ]),
    );
    manifest.insert(
        "bin".into(),
        Value::Array(vec![table([
            ("name", name.into()),
            ("path", SOURCE_FILE.into()),
        ])]),
    );
    manifest.insert(
        "workspace".into(),
        table([("resolver", resolver(&root).into())]),
    );
    let mut dependencies = Table::new();
    dependencies.insert(
        package.name.clone(),
        Value::Table(dependency(
            package,
            &package.source,
            &package.version,
            &package.features,
        )),
    );
    if let Some(tokio) = other_tokio(package) {
        let features = [
            Some("rt"),
            tokio.time.then_some("time"),
            tokio.workers.then_some("rt-multi-thread"),
        ];
        let features: Vec<String> = features.into_iter().flatten().map(String::from).collect();
        let tokio = dependency(package, &tokio.source, &tokio.version, &features);
        dependencies.insert(TOKIO.into(), Value::Table(tokio));
    }
    for it in &package.named {
        let mut named = dependency(package, &it.source, &it.version, &it.features);
        let mut key = it.name.clone();
        if it.library != it.path {
            key.clone_from(&it.path);
            named.insert("package".into(), it.name.as_str().into());
        }
        dependencies.entry(key).or_insert(Value::Table(named));
    }
    for it in &package.providers {
        let provider = dependency(package, &it.source, &it.version, &it.features);
        dependencies.insert(it.name.clone(), Value::Table(provider));
    }
    if let Some(version) = &package.critical_section {
        // A program has to provide what the crate only declares.
        let provider = table([
            ("version", format!("={version}").into()),
            ("features", Value::Array(vec!["std".into()])),
        ]);
        dependencies.insert(CRITICAL_SECTION.into(), provider);
    }
    manifest.insert("dependencies".into(), Value::Table(dependencies));
    manifest.to_string()
}

/// Sets the level of the profile `dev` where the user's manifest does not. It is set here, and not in the environment,
/// because cargo's configuration and the environment, where the user may set it too, take precedence over a manifest.
fn optimise(manifest: &mut Table) {
    let profiles = manifest.entry("profile").or_insert_with(|| table([]));
    // What is not a table is refused by cargo, which says so.
    if let Value::Table(profiles) = profiles
        && let Value::Table(dev) = profiles.entry("dev").or_insert_with(|| table([]))
    {
        dev.entry("opt-level").or_insert(OPT_LEVEL.into());
    }
}

fn table<const N: usize>(entries: [(&str, Value); N]) -> Value {
    let entries = entries.into_iter();
    Value::Table(entries.map(|(key, value)| (key.into(), value)).collect())
}

/// The user's root manifest; empty if it cannot be read, which cargo will report.
#[must_use]
pub fn read_root_manifest(workspace_root: &Path) -> String {
    fs::read_to_string(workspace_root.join("Cargo.toml")).unwrap_or_default()
}

/// The tokio that the driver needs beside the package under test, which may be tokio itself.
fn other_tokio(package: &SubjectPackage) -> Option<&Tokio> {
    package.tokio.as_ref().filter(|_| package.name != TOKIO)
}

/// The dependency on this version of a package of the graph of `package`, from the same source.
fn dependency(
    package: &SubjectPackage,
    source: &PackageSource,
    version: &str,
    features: &[String],
) -> Table {
    let mut dependency = Table::new();
    let mut set = |key: &str, value: &str| {
        dependency.insert(key.into(), value.into());
    };
    match source {
        PackageSource::Path(directory) => set("path", &directory.to_string_lossy()),
        PackageSource::Registry(source) => {
            set("version", &format!("={version}"));
            match source.strip_prefix("registry+") {
                Some("https://github.com/rust-lang/crates.io-index") => {}
                Some(index) => set("registry-index", index),
                None if source == "sparse+https://index.crates.io/" => {}
                None => set("registry-index", source),
            }
        }
        PackageSource::Git(source) => {
            let (place, commit) = source.split_once('#').unwrap_or((source, ""));
            let place = place.strip_prefix("git+").unwrap_or(place);
            let (url, query) = place.split_once('?').unwrap_or((place, ""));
            set("git", url);
            // As the user wrote it, so that it is the same source; the lock file holds the commit.
            match query.split_once('=') {
                Some((key @ ("rev" | "branch" | "tag"), value)) => {
                    set(key, &percent_decoded(value))
                }
                _ if package.lock_file.is_none() => set("rev", commit),
                _ => {}
            }
        }
    }
    dependency.insert("default-features".into(), false.into());
    let features = features.iter().map(|it| Value::from(it.as_str()));
    dependency.insert("features".into(), Value::Array(features.collect()));
    dependency
}

/// In a source, `branch=a/b` is written `branch=a%2Fb`.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        match code.and_then(|it| u8::from_str_radix(it, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The resolver decides the features of dependencies.
fn resolver(root: &Table) -> String {
    let table = |name: &str| root.get(name).and_then(Value::as_table);
    let text = |table: Option<&Table>, key: &str| {
        table
            .and_then(|it| it.get(key))
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let inherited = table("workspace")
        .and_then(|it| it.get("package"))
        .and_then(Value::as_table);
    let said = text(table("workspace"), "resolver").or_else(|| text(table("package"), "resolver"));
    said.unwrap_or_else(|| {
        // A virtual workspace has no edition; then the first resolver is the default.
        let package = table("package");
        let edition = text(package, "edition").or_else(|| {
            package?.get("edition")?.as_table()?;
            text(inherited, "edition")
        });
        match edition.as_deref() {
            Some("2024") => "3",
            Some("2021") => "2",
            _ => "1",
        }
        .to_owned()
    })
}

/// The user's lock file with the driver as one more package, so that cargo need not resolve anything: same versions, no
/// network. Without the entry of the package it is returned as it is, and cargo resolves what is missing.
#[must_use]
pub fn driver_lock_file(package: &SubjectPackage, lock_file: &str) -> String {
    let Ok(mut lock) = lock_file.parse::<Table>() else {
        return lock_file.to_owned();
    };
    let Some(Value::Array(entries)) = lock.get_mut("package") else {
        return lock_file.to_owned();
    };
    let field = |entry: &Value, name: &str| -> Option<String> {
        Some(entry.get(name)?.as_str()?.to_owned())
    };
    let listed = entries.iter().any(|entry| {
        field(entry, "name").as_deref() == Some(&package.name)
            && field(entry, "version").as_deref() == Some(&package.version)
            && field(entry, "source").as_deref() == package.source.in_lock_file()
    });
    if !listed {
        return lock_file.to_owned();
    }
    let exact = exact_name(&package.name, &package.version, &package.source);
    let mut dependencies: Vec<Value> = vec![exact.into()];
    if let Some(version) = &package.critical_section {
        dependencies.push(format!("{CRITICAL_SECTION} {version}").into());
    }
    if let Some(tokio) = other_tokio(package) {
        dependencies.push(exact_name(TOKIO, &tokio.version, &tokio.source).into());
    }
    for it in &package.named {
        dependencies.push(exact_name(&it.name, &it.version, &it.source).into());
    }
    for it in &package.providers {
        dependencies.push(exact_name(&it.name, &it.version, &it.source).into());
    }
    let mut seen = HashSet::new();
    dependencies.retain(|it| seen.insert(it.to_string()));
    entries.push(table([
        ("name", package.driver_crate().replace('_', "-").into()),
        ("version", "0.0.0".into()),
        ("dependencies", Value::Array(dependencies)),
    ]));
    lock.to_string()
}

/// A package as a dependency in a lock file.
fn exact_name(name: &str, version: &str, source: &PackageSource) -> String {
    match source.in_lock_file() {
        Some(source) => format!("{name} {version} ({source})"),
        None => format!("{name} {version}"),
    }
}

#[cfg(test)]
mod tests;
