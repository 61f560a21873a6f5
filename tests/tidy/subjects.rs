//! Subject crates say what must happen with them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::root;

fn subjects() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for group in ["faulty", "correct", "unsupported", "everyday"] {
        let group = root().join("tests/subjects").join(group);
        for entry in std::fs::read_dir(&group).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn every_subject_has_a_readme_that_says_what_must_happen() {
    let subjects = subjects();
    assert!(subjects.len() > 20, "{subjects:?}");
    for subject in subjects {
        let readme = subject.join("README.md");
        let text = std::fs::read_to_string(&readme)
            .unwrap_or_else(|error| panic!("{}: {error}", readme.display()));
        let words = text.to_lowercase();
        assert!(
            words.split_whitespace().any(|word| word == "must"),
            "{} does not say what must happen",
            readme.display()
        );
    }
}

#[test]
fn every_subject_has_a_package_name_of_its_own() {
    let mut names: BTreeMap<String, PathBuf> = BTreeMap::new();
    for subject in subjects() {
        let manifest = std::fs::read_to_string(subject.join("Cargo.toml")).unwrap();
        let name = manifest
            .lines()
            .find_map(|line| line.strip_prefix("name = "))
            .unwrap()
            .to_string();
        let other = names.insert(name.clone(), subject.clone());
        assert_eq!(other, None, "{name} is also {}", subject.display());
    }
}

#[test]
fn every_subject_is_run_by_the_end_to_end_tests() {
    let files =
        ["tests/end_to_end", "tests/long"].map(|place| super::rust_files(&root().join(place)));
    let sources: String = files
        .iter()
        .flatten()
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    for subject in subjects() {
        let group = subject.parent().unwrap().file_name().unwrap();
        let name = format!(
            "\"{}/{}\"",
            group.to_str().unwrap(),
            subject.file_name().unwrap().to_str().unwrap()
        );
        assert!(sources.contains(&name), "no end-to-end test names {name}");
    }
}
