//! Published crates, annotated in a scratch copy: `cargo contest init`, the edits kept here, a test, `cargo test`.
//!
//! The sources come from the registry, so this is not part of an ordinary run:
//! `cargo test -p cargo-contest --test published -- --ignored --nocapture` prints the table of the guide to annotated
//! types (section 6).
//!
//! `<crate>/edits.txt` names lines of the release: `12+ text` goes before line 12, `12= text` in its place.
//! `<crate>/contest.rs` is the test.

#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "shared with other test targets")]
mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{Subject, root};

/// A crate, and what is found in it.
struct Published {
    name: &'static str,
    version: &'static str,
    /// Kinds of the findings of the generated test.
    found: &'static [&'static str],
    parking_lot: bool,
}

const PUBLISHED: [Published; 4] = [
    // seanmonstar/spmc issue 5: a receiver that is about to sleep is not woken.
    Published {
        name: "spmc",
        version: "0.2.1",
        found: &["deadlock"],
        parking_lot: false,
    },
    // prometheus/client_rust pull request 102: a counter is replaced by another one.
    Published {
        name: "prometheus-client",
        version: "0.18.0",
        found: &["non-linearizable"],
        parking_lot: true,
    },
    // A reader that waits for the lock can have it before its first holder, and reads what is being written.
    Published {
        name: "oncemutex",
        version: "0.1.1",
        found: &["panic"],
        parking_lot: false,
    },
    Published {
        name: "std-semaphore",
        version: "0.1.0",
        found: &[],
        parking_lot: false,
    },
];

#[test]
#[ignore = "needs the registry; see the top of this file"]
fn published_crates_are_annotated_in_a_few_lines() {
    let mut table = String::from(
        "| crate | lines changed | by `init` | test | operations | finding |\n|---|---|---|---|---|---|\n",
    );
    for published in &PUBLISHED {
        let row = annotated(published);
        table.push_str(&row);
    }
    println!("{table}");
}

/// The row of the table.
fn annotated(published: &Published) -> String {
    let Published { name, version, .. } = published;
    let here = root().join("tests/published");
    let copy = Subject::empty();
    fetched(name, version, &copy.directory);
    let manifest = copy.read("Cargo.toml");
    copy.write("Cargo.toml", &without_tests(&manifest));
    // Of the time of the release; some of what it names no longer compiles.
    drop(fs::remove_file(copy.directory.join("Cargo.lock")));
    let before = copy.tree();

    let checkout = root().canonicalize().unwrap();
    copy.contest(&["init", "--yes", "--path", checkout.to_str().unwrap()])
        .status(0);
    fs::remove_file(copy.directory.join("tests/contest_example.rs")).unwrap();
    if published.parking_lot {
        let manifest = copy.read("Cargo.toml");
        let with = "contest-runtime\", features = [\"parking_lot\"] }";
        let manifest = manifest.replacen("contest-runtime\" }", with, 1);
        copy.write("Cargo.toml", &manifest);
    }
    let by_init = changed_lines(
        &String::from_utf8_lossy(&before[Path::new("Cargo.toml")]),
        &copy.read("Cargo.toml"),
    );
    let edits = fs::read_to_string(here.join(name).join("edits.txt")).unwrap();
    let changed = apply(&edits, &copy);
    let test = fs::read_to_string(here.join(name).join("contest.rs")).unwrap();
    let report = fs::read_to_string(here.join("report.rs")).unwrap();
    copy.write("tests/contest.rs", &format!("{test}{report}"));

    let run = copy
        .cargo(&["test", "--test", "contest", "--", "--nocapture"])
        .status(0);
    println!("=== {name} {version}\n{}", run.stdout);
    let lines = |start: &str| -> Vec<String> {
        let lines = run
            .stdout
            .lines()
            .filter_map(|line| line.strip_prefix(start));
        lines.map(str::to_owned).collect()
    };
    let found = lines("FOUND ");
    let kinds: Vec<&str> = found.iter().filter_map(|it| it.split(':').next()).collect();
    assert_eq!(kinds, published.found, "{}", run.stdout);
    let checked = lines("CHECKED ").pop().expect("a summary");
    let operations = checked.split(" | ").nth(1).expect("operations").to_owned();
    let found = found
        .first()
        .map_or("none", |it| it.split(" (").next().unwrap_or(it));
    format!(
        "| {name} {version} | {changed} | {by_init} | {} | {operations} | {found} |\n",
        test.lines().count()
    )
}

/// Copies a release out of the registry.
fn fetched(name: &str, version: &str, to: &Path) {
    let scratch = Subject::empty();
    scratch.write("src/lib.rs", "");
    scratch.write(
        "Cargo.toml",
        &format!("[package]\nname = \"scratch\"\nedition = \"2024\"\n[dependencies]\n{name} = \"={version}\"\n"),
    );
    // Yanked releases are only used where a lock file names them already.
    let lock = root().join(format!("tests/published/{name}/scratch.lock"));
    if let Ok(lock) = fs::read_to_string(lock) {
        scratch.write("Cargo.lock", &lock);
    }
    let run = scratch
        .cargo(&["metadata", "--format-version", "1"])
        .status(0);
    let metadata: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|it| it["name"] == name).unwrap();
    let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap());
    support::copy_tree(manifest.parent().unwrap(), to);
}

/// Other tests and benchmarks of the crate, and what only they need: this is about one test.
fn without_tests(manifest: &str) -> String {
    let mut kept = String::new();
    let mut keeps = true;
    for line in manifest.lines() {
        if line.starts_with('[') {
            let left_out = ["[dev-dependencies", "[[bench", "[[example", "[[test"];
            keeps = !left_out.iter().any(|it| line.starts_with(it));
        }
        if keeps {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Lines that are only in the second.
fn changed_lines(before: &str, after: &str) -> usize {
    let mut left: Vec<&str> = before.lines().collect();
    let mut new = 0;
    for line in after.lines().filter(|line| !line.is_empty()) {
        match left.iter().position(|it| *it == line) {
            Some(at) => drop(left.remove(at)),
            None => new += 1,
        }
    }
    new
}

/// Edits the copy; returns the number of lines changed.
fn apply(edits: &str, copy: &Subject) -> usize {
    let mut file = "";
    let mut all: Vec<(&str, usize, bool, &str)> = Vec::new();
    for line in edits.lines() {
        let digits = line
            .find(|it: char| !it.is_ascii_digit())
            .unwrap_or(line.len());
        match line[..digits].parse() {
            Ok(number) => {
                let (how, text) = line[digits..].split_at(1);
                assert!(how == "+" || how == "=", "{line}");
                all.push((file, number, how == "+", text.trim_start()));
            }
            Err(_) => file = line,
        }
    }
    // From the last line on, so that numbers stay those of the release.
    for &(file, number, before, text) in all.iter().rev() {
        let source = copy.read(file);
        let mut lines: Vec<&str> = source.lines().collect();
        if before {
            lines.insert(number - 1, text);
        } else {
            lines[number - 1] = text;
        }
        copy.write(file, &(lines.join("\n") + "\n"));
    }
    all.len()
}
