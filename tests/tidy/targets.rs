//! Targets that manifests take out of `cargo test`: where compiling them once more would show nothing, and what takes
//! long.

use std::fs;
use std::path::{Path, PathBuf};

use super::{root, rust_files};

/// What is a test in the sources of a target, by the key of its manifest that switches it off.
const SHOWS: [(&str, &[&str]); 2] = [
    ("test", &["#[test]", "#[cfg(test)]"]),
    ("doctest", &["/// ```", "//! ```"]),
];

/// Drawings, which are examples of nothing.
const DRAWING: &str = "```text";

/// The first test of this kind.
fn first_test(sources: &Path, marks: &[&str]) -> Option<String> {
    let files = if sources.is_dir() {
        rust_files(sources)
    } else {
        vec![sources.to_owned()]
    };
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let mut is_drawn = false;
        for (number, line) in text.lines().enumerate() {
            if line.ends_with(DRAWING) {
                is_drawn = true;
            } else if marks.iter().any(|mark| line.contains(mark)) && !is_drawn {
                return Some(format!("{}:{}", file.display(), number + 1));
            } else if line.ends_with("```") {
                is_drawn = false;
            }
        }
    }
    None
}

/// Directory and manifest of each package of the workspace.
fn members() -> Vec<(PathBuf, toml::Table)> {
    let read = |directory: &Path| -> toml::Table {
        let text = fs::read_to_string(directory.join("Cargo.toml")).unwrap();
        text.parse().unwrap()
    };
    let workspace = read(root());
    let members = workspace["workspace"]["members"].as_array().unwrap();
    let directories = members.iter().map(|it| root().join(it.as_str().unwrap()));
    directories
        .map(|directory| (directory.clone(), read(&directory)))
        .collect()
}

fn is_switched_off(target: &toml::Value, key: &str) -> bool {
    target.get(key).and_then(toml::Value::as_bool) == Some(false)
}

#[test]
fn targets_that_are_not_tested_have_no_tests() {
    let mut switched_off = 0;
    for (directory, manifest) in members() {
        let library = manifest.get("lib").into_iter();
        let programs = manifest.get("bin").and_then(toml::Value::as_array);
        for (key, marks) in SHOWS {
            let programs = programs.into_iter().flatten();
            let programs = programs.map(|target| (target, directory.join("src/main.rs")));
            let libraries = library.clone();
            let libraries = libraries.map(|target| (target, directory.join("src")));
            for (target, sources) in libraries.chain(programs) {
                if is_switched_off(target, key) {
                    switched_off += 1;
                    let found = first_test(&sources, marks);
                    assert_eq!(found, None, "`{key} = false` in {}", directory.display());
                }
            }
        }
    }
    assert!(switched_off > 0);
}

#[test]
fn tests_that_take_long_are_run_before_a_change_is_merged() {
    let script = fs::read_to_string(root().join(".ci/run")).unwrap();
    let mut long = 0;
    for (directory, manifest) in members() {
        let targets = manifest.get("test").and_then(toml::Value::as_array);
        for target in targets.into_iter().flatten() {
            let name = target["name"].as_str().unwrap();
            if is_switched_off(target, "test") {
                long += 1;
                let runs = |line: &str| {
                    let mut words = line.split_whitespace();
                    line.starts_with("step cargo test") && words.any(|word| word == name)
                };
                assert!(
                    script.lines().any(runs),
                    "`.ci/run` does not run `{name}` of {}",
                    directory.display()
                );
            }
        }
    }
    assert!(long > 0);
}

#[test]
fn tests_that_are_run_every_week_are_named_by_that_workflow() {
    let workflow = fs::read_to_string(root().join(".github/workflows/weekly.yml")).unwrap();
    let mut named = 0;
    for file in rust_files(&root().join("tests/long")) {
        let text = fs::read_to_string(&file).unwrap();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if !(line.starts_with("#[ignore") && line.contains("run every week")) {
                continue;
            }
            let function = lines.find_map(|it| it.strip_prefix("fn "));
            let (name, _) = function.and_then(|it| it.split_once('(')).unwrap();
            let mut words = workflow.split_whitespace();
            assert!(
                words.any(|it| it == name),
                "`weekly.yml` does not name `{name}`"
            );
            named += 1;
        }
    }
    assert!(named > 0);
}
