//! Comments are wrapped; rustfmt does not do it.

use super::{root, rust_files};

const COLUMNS: usize = 120;

/// Directories with Rust sources of the workspace, and of the packages beside it that belong to the project.
const SOURCES: &[&str] = &[
    "cargo-contest",
    "contest-macros",
    "contest-runtime",
    "examples",
    "tests",
];

/// Crates under test: findings in them are expected at fixed lines.
const SUBJECTS: &str = "tests/subjects";

#[test]
fn comments_fit_into_120_columns() {
    let mut seen = 0;
    for source in SOURCES {
        for path in rust_files(&root().join(source)) {
            let relative = path.strip_prefix(root()).unwrap();
            let is_built = relative.iter().any(|part| part == "target");
            let is_subject = relative.starts_with(SUBJECTS);
            if is_built || is_subject {
                continue;
            }
            seen += 1;
            let text = std::fs::read_to_string(&path).unwrap();
            for (line, number) in text.lines().zip(1..) {
                let is_comment = line.trim_start().starts_with("//");
                assert!(
                    !is_comment || line.chars().count() <= COLUMNS,
                    "{}:{number} is longer than {COLUMNS} columns",
                    relative.display()
                );
            }
        }
    }
    assert!(seen > 500, "{seen}");
}

#[test]
fn the_change_log_fits_into_120_columns() {
    let text = std::fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    for (line, number) in text.lines().zip(1..) {
        assert!(
            line.chars().count() <= COLUMNS,
            "CHANGELOG.md:{number} is longer than {COLUMNS} columns"
        );
    }
}
