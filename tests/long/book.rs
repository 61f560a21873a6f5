//! The commands of the book, run one after another as a reader runs them.

use std::fs;

use crate::support::{copy_tree, root, run, shell};

/// A block of commands, and the status with which the last one ends.
struct Block {
    chapter: String,
    script: String,
    status: i32,
}

/// Blocks that are marked as `sh`.
fn blocks(chapter: &str, text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut lines = text.lines().map(str::trim_start);
    while let Some(line) = lines.next() {
        let Some(marks) = line.strip_prefix("```") else {
            continue;
        };
        let body: Vec<&str> = lines.by_ref().take_while(|it| *it != "```").collect();
        let mut marks = marks.split(',');
        if marks.next() == Some("sh") {
            let status = marks.find_map(|it| it.strip_prefix("status-"));
            found.push(Block {
                chapter: chapter.to_owned(),
                script: body.join("\n"),
                status: status.map_or(0, |it| it.parse().unwrap()),
            });
        }
    }
    found
}

#[test]
fn every_command_of_the_book_ends_as_the_book_says() {
    let mut chapters: Vec<_> = fs::read_dir(root().join("book/src"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "md"))
        .collect();
    chapters.sort();
    let blocks = chapters.iter().flat_map(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        blocks(&name, &fs::read_to_string(path).unwrap())
    });
    let scratch = tempfile::tempdir().unwrap();
    copy_tree(&root().join("examples"), &scratch.path().join("examples"));
    let mut seen = 0;
    for block in blocks {
        let mut command = shell(&block.script);
        command.current_dir(scratch.path());
        let done = run(command);
        assert_eq!(
            done.status,
            block.status,
            "{}:\n{}\n{}",
            block.chapter,
            block.script,
            done.text()
        );
        seen += 1;
    }
    assert!(seen >= 10, "only {seen} blocks of commands were found");
}
