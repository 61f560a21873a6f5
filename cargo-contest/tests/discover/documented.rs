//! A crate written in a test: documented, turned into a catalog, and compiled with everything the catalog says about
//! it.

use std::path::Path;
use std::process::Command;

use contest_catalog::subject_catalog::{
    ArgumentRecipe, OperationEntry, SubjectCatalog, SubjectEntry,
};
use contest_discover::catalog::{KnownBeside, catalog_with_hints};
use contest_discover::hints::Hints;
use contest_discover::idioms::Idioms;
use contest_discover::named_library::NamedLibrary;
use contest_discover::rustdoc_json::read;

use crate::driver_of_catalog;

/// The catalog of a crate named `subject`, after rustc has compiled every expression in it.
#[track_caller]
pub(crate) fn catalog_of(source: &str) -> SubjectCatalog {
    catalog_with_dependency(source, None)
}

/// As [`catalog_with_dependency`], of a crate that the driver can name.
#[track_caller]
pub(crate) fn catalog_with_named(source: &str, name: &str, dependency: &str) -> SubjectCatalog {
    let named = [NamedLibrary::plain(name)];
    catalog(source, Some((name, dependency)), &named, false)
}

/// As [`catalog_of`], with a crate that `subject` depends on: name and source.
#[track_caller]
pub(crate) fn catalog_with_dependency(
    source: &str,
    dependency: Option<(&str, &str)>,
) -> SubjectCatalog {
    catalog(source, dependency, &[], false)
}

/// With types behind a lock.
#[track_caller]
pub(crate) fn catalog_behind_lock(source: &str) -> SubjectCatalog {
    catalog(source, None, &[], true)
}

#[track_caller]
fn catalog(
    source: &str,
    dependency: Option<(&str, &str)>,
    named: &[NamedLibrary],
    behind_lock: bool,
) -> SubjectCatalog {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let mut externs = Vec::new();
    if let Some((name, source)) = dependency {
        library(directory, name, source, &[]);
        externs.push(format!("{name}={}/lib{name}.rmeta", directory.display()));
    }
    library(directory, "subject", source, &externs);
    let package = read(&directory.join("subject.json")).unwrap();
    let mut load = |name: &str| read(&directory.join(format!("{name}.json")));
    let given = KnownBeside {
        named,
        hints: &Hints::default(),
        idioms: &Idioms::default(),
        behind_lock,
    };
    let roots = [directory];
    let catalog = catalog_with_hints(package, &roots, &mut load, &given).unwrap();
    let program = driver_of_catalog::source(&catalog);
    std::fs::write(directory.join("driver.rs"), &program).unwrap();
    externs.push(format!("subject={}/libsubject.rmeta", directory.display()));
    let mut rustc = Command::new("rustc");
    rustc.args([
        "driver.rs",
        "--edition",
        "2024",
        "--emit",
        "metadata",
        "-L",
        ".",
    ]);
    for it in &externs {
        rustc.args(["--extern", it]);
    }
    run(rustc.current_dir(directory), &program);
    catalog
}

/// Compiles and documents a library in `directory`.
#[track_caller]
fn library(directory: &Path, name: &str, source: &str, externs: &[String]) {
    let file = format!("{name}.rs");
    std::fs::write(directory.join(&file), source).unwrap();
    let mut rustc = Command::new("rustc");
    rustc.args([&file, "--crate-type", "lib", "--emit", "metadata"]);
    let mut rustdoc = Command::new("rustdoc");
    rustdoc.env("RUSTC_BOOTSTRAP", "1");
    rustdoc.args([&file, "--crate-type", "lib", "-Zunstable-options"]);
    rustdoc.args(["--output-format", "json", "--document-hidden-items"]);
    rustdoc.args(["--document-private-items", "--out-dir", "."]);
    for mut command in [rustc, rustdoc] {
        command.args(["--edition", "2024", "--cap-lints", "allow", "-L", "."]);
        for it in externs {
            command.args(["--extern", it]);
        }
        run(command.current_dir(directory), source);
    }
}

#[track_caller]
fn run(command: &mut Command, source: &str) {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}\n{source}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The subject whose path ends in `path`.
#[track_caller]
pub(crate) fn subject<'a>(catalog: &'a SubjectCatalog, path: &str) -> &'a SubjectEntry {
    let found = catalog.subjects.iter().find(|it| it.path.ends_with(path));
    found.unwrap_or_else(|| panic!("no {path}; skipped: {:#?}", catalog.skipped))
}

/// The operation of this name.
#[track_caller]
pub(crate) fn operation<'a>(subject: &'a SubjectEntry, name: &str) -> &'a OperationEntry {
    let found = subject.operations.iter().find(|it| it.name == name);
    found.unwrap_or_else(|| {
        let names: Vec<_> = subject.operations.iter().map(|it| &it.name).collect();
        panic!("no {name} in {names:?}; left out: {:#?}", subject.left_out)
    })
}

/// Why a type is no subject.
#[track_caller]
pub(crate) fn skipped<'a>(catalog: &'a SubjectCatalog, path: &str) -> &'a str {
    let found = catalog.skipped.iter().find(|it| it.item.ends_with(path));
    &found.unwrap_or_else(|| panic!("{path} is not skipped")).why
}

/// Why a method is no operation.
#[track_caller]
pub(crate) fn left_out<'a>(subject: &'a SubjectEntry, name: &str) -> &'a str {
    let found = subject.left_out.iter().find(|it| it.item == name);
    &found
        .unwrap_or_else(|| panic!("{name} is not left out"))
        .why
}

/// Texts of the constructors.
pub(crate) fn constructors(subject: &SubjectEntry) -> Vec<String> {
    subject
        .constructors
        .iter()
        .map(|it| it.text.to_string())
        .collect()
}

/// Texts of an argument's alternatives.
pub(crate) fn texts(argument: &ArgumentRecipe) -> Vec<&str> {
    argument.choices.iter().map(|it| it.text.as_str()).collect()
}
