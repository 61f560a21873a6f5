//! Comments of the tool are wrapped; rustfmt does not do it.

use super::{root, rust_files};

const COLUMNS: usize = 120;

/// Rooms whose comments are not wrapped yet. The list may only shrink.
const EXCEPTIONS: &[&str] = &[];

#[test]
fn comments_of_the_tool_fit_into_120_columns() {
    let source = root().join("cargo-contest/src");
    for path in rust_files(&source) {
        let relative = path.strip_prefix(&source).unwrap();
        if EXCEPTIONS.iter().any(|it| relative.starts_with(it)) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for (line, number) in text.lines().zip(1..) {
            let too_long = line.trim_start().starts_with("//") && line.chars().count() > COLUMNS;
            assert!(
                !too_long,
                "{}:{number} is longer than {COLUMNS} columns",
                path.display()
            );
        }
    }
}
