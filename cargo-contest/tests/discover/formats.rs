//! One crate, as each format of rustdoc's JSON describes it. Formats 57 to 61 are held against the types that rustdoc
//! publishes for each; 99 is made up.

use std::path::PathBuf;

use contest_catalog::subject_catalog::SubjectCatalog;
use contest_discover::catalog::catalog_from_json;
use contest_discover::documentation::FORMATS;
use contest_discover::rustdoc_json::{RustdocError, read};

use crate::documented::subject;

fn fixture(format: u32) -> PathBuf {
    let name = format!("tests/discover/formats/{format}.json");
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn catalog(format: u32) -> SubjectCatalog {
    let documentation = read(&fixture(format)).unwrap();
    catalog_from_json(documentation, &[], &mut |_| {
        Err(RustdocError::NotADependency)
    })
}

/// Names of the operations of the one type.
fn operations(catalog: &SubjectCatalog) -> Vec<&str> {
    let gate = subject(catalog, "gate::Gate");
    let mut names: Vec<&str> = gate.operations.iter().map(|it| it.name.as_str()).collect();
    names.sort_unstable();
    names
}

#[test]
fn every_known_format_describes_the_same_crate() {
    for format in FORMATS {
        let catalog = catalog(format);
        assert_eq!(catalog.other_format, None, "{format}");
        assert_eq!(
            operations(&catalog),
            ["Door::open", "count", "enter"],
            "{format}"
        );
        let gate = subject(&catalog, "gate::Gate");
        assert_eq!(gate.constructors.len(), 1, "{format}: {gate:?}");
        // A value of `!` cannot be made.
        let why = |name: &str| {
            let skipped = gate.left_out.iter().chain(&catalog.skipped);
            let mut of_name = skipped.filter(|it| it.item.contains(name));
            of_name.next().map(|it| it.why.clone())
        };
        let why = why("never").unwrap_or_default();
        assert!(why.contains('!'), "{format}: {why}: {:?}", catalog.skipped);
    }
}

#[test]
fn what_a_later_format_has_in_another_form_costs_only_the_items_that_have_it() {
    let catalog = catalog(99);
    assert_eq!(catalog.other_format, Some(99));
    // `count` lacks a field, `never` has a type of an unknown form, `Flow` is of an unknown kind.
    assert_eq!(operations(&catalog), ["Door::open", "enter"]);
    for (item, says) in [
        ("count", "missing field `has_body`"),
        ("never", "unknown variant `unheard_of`"),
        ("Flow", "unknown variant `effect`"),
    ] {
        let skipped = catalog.skipped.iter().find(|it| it.item.ends_with(item));
        let why = &skipped
            .unwrap_or_else(|| panic!("{item}: {:?}", catalog.skipped))
            .why;
        assert!(why.contains("format 99") && why.contains(says), "{why}");
    }
}

#[test]
fn a_format_without_what_every_crate_has_is_named_with_those_that_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("doc.json");
    let text = std::fs::read_to_string(fixture(99)).unwrap();
    for (format, text) in [
        (12, "{\"format_version\": 12, \"index\": 3}".to_owned()),
        (99, text.replace("\"root\":", "\"beginning\":")),
        (99, text.replace("\"paths\":", "\"names\":")),
        (99, text.replace("\"module\":", "\"space\":")),
    ] {
        std::fs::write(&file, text).unwrap();
        let error = read(&file).unwrap_err().to_string();
        let says =
            format!("of format {format}, this build of cargo contest reads formats 57 to 61");
        assert!(error.contains(&says), "{error}");
        assert!(error.contains("rustup"), "{error}");
    }
}

#[test]
fn what_is_no_documentation_is_not_taken_for_a_format() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("doc.json");
    for text in ["", "{", "[]", "{\"format_version\": \"new\"}"] {
        std::fs::write(&file, text).unwrap();
        let error = read(&file).unwrap_err();
        assert!(
            matches!(error, RustdocError::Parse { .. }),
            "{text}: {error}"
        );
    }
}
