//! The table in `README.md` is right: every test it names exists, every test is named, and the counts add up.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance")
}

/// A line of the table of a suite: source file, number of its tests that the line is about, behaviour, our tests,
/// result.
struct Line {
    tests_there: u32,
    ours: Vec<String>,
    passes: bool,
}

/// The sections of the table by the name of their module, which is in the heading, each with its lines.
fn sections(text: &str) -> BTreeMap<String, Vec<Line>> {
    let mut sections: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    let mut suite = None;
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            suite = heading.split('`').nth(1).map(str::to_owned);
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let (Some(suite), &[_, _, tests_there, _, ours, result, _]) = (&suite, &cells[..]) else {
            continue;
        };
        if let Ok(tests_there) = tests_there.parse() {
            let names = ours.split('`').skip(1).step_by(2).map(str::to_owned);
            sections.entry(suite.clone()).or_default().push(Line {
                tests_there,
                ours: names.collect(),
                passes: result == "passes",
            });
        }
    }
    sections
}

/// Names of all tests of a suite, as `file::test`. Tests that a macro makes are named by its lines.
fn tests_of(suite: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(here().join(suite)).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let after = lines.peek().map_or("", |line| line.trim());
            let of_function = after
                .strip_prefix("fn ")
                .filter(|_| line.trim() == "#[test]")
                .and_then(|rest| rest.split('(').next());
            let of_macro = line.trim().split_once(" |x, a, b| ").map(|(name, _)| name);
            if let Some(name) = of_function.or(of_macro)
                && !name.contains('$')
            {
                names.insert(format!("{file}::{name}"));
            }
        }
    }
    names
}

fn table() -> String {
    std::fs::read_to_string(here().join("README.md")).unwrap()
}

#[test]
fn every_test_in_the_table_exists_and_every_test_is_in_the_table() {
    for (suite, lines) in sections(&table()) {
        let named: BTreeSet<String> = lines.into_iter().flat_map(|line| line.ours).collect();
        let tests = tests_of(&suite);
        let missing: Vec<_> = named.difference(&tests).collect();
        assert!(missing.is_empty(), "not a test of {suite}: {missing:?}");
        let unnamed: Vec<_> = tests.difference(&named).collect();
        assert!(unnamed.is_empty(), "not in the table, {suite}: {unnamed:?}");
    }
}

#[test]
fn what_passes_names_a_test_and_the_counts_at_the_top_add_up() {
    let text = table();
    let mut checked = 0;
    for (suite, lines) in sections(&text) {
        assert!(
            lines
                .iter()
                .all(|line| !line.passes || !line.ours.is_empty()),
            "a line of {suite} passes without a test"
        );
        let count = |passes: bool| -> u32 {
            let of_kind = lines.iter().filter(|line| line.passes == passes);
            of_kind.map(|line| line.tests_there).sum()
        };
        let counts = format!(
            "| `{suite}` | {} | {} | {} |",
            count(true) + count(false),
            count(true),
            count(false)
        );
        assert!(text.contains(&counts), "at the top there must be {counts}");
        checked += 1;
    }
    assert!(checked >= 2);
}
