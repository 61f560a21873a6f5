//! Targets that manifests take out of `cargo test`, where compiling them once more would show nothing.

use std::fs;
use std::path::Path;

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

#[test]
fn targets_that_are_not_tested_have_no_tests() {
    let text = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let workspace: toml::Table = text.parse().unwrap();
    let members = workspace["workspace"]["members"].as_array().unwrap();
    let mut switched_off = 0;
    for member in members {
        let directory = root().join(member.as_str().unwrap());
        let text = fs::read_to_string(directory.join("Cargo.toml")).unwrap();
        let manifest: toml::Table = text.parse().unwrap();
        let library = manifest.get("lib").into_iter();
        let programs = manifest.get("bin").and_then(toml::Value::as_array);
        for (key, marks) in SHOWS {
            let programs = programs.into_iter().flatten();
            let programs = programs.map(|target| (target, directory.join("src/main.rs")));
            let libraries = library.clone();
            let libraries = libraries.map(|target| (target, directory.join("src")));
            for (target, sources) in libraries.chain(programs) {
                if target.get(key).and_then(toml::Value::as_bool) == Some(false) {
                    switched_off += 1;
                    let found = first_test(&sources, marks);
                    assert_eq!(found, None, "`{key} = false` in {}", directory.display());
                }
            }
        }
    }
    assert!(switched_off > 0);
}
