//! The book: every chapter is in its summary, and no link leads nowhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::root;

fn book() -> std::path::PathBuf {
    root().join("book/src")
}

fn chapters() -> BTreeSet<String> {
    let entries = fs::read_dir(book()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".md")).collect()
}

/// Targets of Markdown links outside of code: `b` of `[a](b)`.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            let targets = line.split("](").skip(1);
            found.extend(targets.filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())));
        }
    }
    assert!(!is_code, "a block of code does not end");
    found
}

#[test]
fn the_summary_of_the_book_names_every_chapter_once() {
    let listed = links(&fs::read_to_string(book().join("SUMMARY.md")).unwrap());
    let unique: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(unique.len(), listed.len(), "a chapter stands there twice");
    let mut chapters = chapters();
    chapters.remove("SUMMARY.md");
    assert_eq!(chapters, unique);
}

#[test]
fn links_of_the_book_lead_somewhere() {
    let mut seen = 0;
    for name in chapters() {
        for link in links(&fs::read_to_string(book().join(&name)).unwrap()) {
            let file = link.split('#').next().unwrap_or_default();
            if !file.contains("://") && !file.is_empty() {
                assert!(book().join(Path::new(file)).is_file(), "{name}: {link}");
                seen += 1;
            }
        }
    }
    assert!(seen > 12, "{seen}");
}

#[test]
fn drawings_of_the_book_load_nothing_and_have_a_title() {
    for entry in fs::read_dir(book()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|it| it == "svg") {
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains("<title>"), "{}", path.display());
            for outside in ["href=", "<script", "<image", "url(http"] {
                assert!(!text.contains(outside), "{}: {outside}", path.display());
            }
        }
    }
}
