//! Packages as applications have them: only a binary, types that are not public, constructors that fail.

use crate::support::Subject;

#[test]
fn the_code_of_a_binary_is_tested_as_a_library_and_its_tree_stays_as_it_is() {
    let copy = Subject::copy("faulty/command_line");
    let before = copy.tree();
    let list = copy.contest(&["list"]).status(0);
    let store = "faulty_command_line::store::Store  src/store.rs:3";
    for text in [
        store,
        "a.reserve(1)",
        "`faulty-command-line` has no library: the types of its binary `reserve` are tested",
        "features that are off have types: metrics",
    ] {
        assert!(list.text().contains(text), "{text}: {}", list.text());
    }
    let run = copy
        .contest(&["--fail-fast", "--message-format", "json"])
        .status(1);
    let findings = run.with_reason("finding");
    assert_eq!(findings[0]["type"], "faulty_command_line::store::Store");
    let place = findings[0]["locations"][0].as_str().unwrap();
    assert!(place.starts_with("src/store.rs:1"), "{place}");
    let token = findings[0]["schedule"].as_str().unwrap();
    copy.contest(&["replay", token]).status(1);
    let tree = |mut tree: std::collections::BTreeMap<std::path::PathBuf, Vec<u8>>| {
        tree.retain(|path, _| !path.ends_with("Cargo.lock"));
        tree
    };
    assert_eq!(
        tree(before),
        tree(copy.tree()),
        "the source tree was touched"
    );
}

#[test]
fn unit_tests_of_a_binary_are_explored_and_those_in_tests_run() {
    let copy = Subject::copy("faulty/command_line");
    let run = copy
        .contest(&["test", "--message-format", "json"])
        .status(1);
    let tests = run.tests();
    let unit = &tests["tests::one_of_two_reservations_is_refused"];
    assert_eq!(unit["result"], "fails-sometimes", "{}", run.text());
    assert_eq!(tests["the_executable_is_built"]["result"], "ok");
}

#[test]
fn public_types_only_are_none_of_a_binary() {
    let copy = Subject::copy("faulty/command_line");
    let run = copy.contest(&["list", "--public"]).status(4);
    assert!(run.stderr.contains("library"), "{}", run.stderr);
}

#[test]
fn a_constructor_that_returns_an_error_is_shown_with_what_it_says() {
    let copy = Subject::with(
        "failing-constructor",
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"failing\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
            ),
            (
                "src/lib.rs",
                "use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
pub struct Store(AtomicU32);
impl Store {
    pub fn open(path: &str) -> Result<Self, String> {
        match std::fs::metadata(path) {
            Ok(it) if it.is_dir() => Ok(Self(AtomicU32::new(0))),
            _ => Err(format!(\"{path}: no directory of a store\")),
        }
    }
    pub fn add(&self) -> u32 { let x = self.0.load(SeqCst); self.0.store(x + 1, SeqCst); x }
}
",
            ),
        ],
    );
    let run = copy.contest(&["--budget", "5s"]).status(1);
    let text = run.text();
    assert!(
        text.contains("`open` returned an error: a: no directory of a store"),
        "{text}"
    );
    assert!(!text.contains("contest-driver.rs"), "{text}");
    // Where a directory is wanted, there is one.
    assert!(
        text.contains("error[lost-update]") || text.contains("error[non-linearizable]"),
        "{text}"
    );
}

#[test]
fn where_no_public_type_can_be_tested_others_are() {
    let copy = Subject::with(
        "private-modules",
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"private\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
            ),
            (
                "src/lib.rs",
                "mod store;\npub fn main() { store::Count::new().next(); }\n",
            ),
            (
                "src/store.rs",
                "use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
pub(crate) struct Count(AtomicU32);
impl Count {
    pub(crate) fn new() -> Self { Self(AtomicU32::new(0)) }
    pub(crate) fn next(&self) -> u32 { self.0.fetch_add(1, SeqCst) }
}
",
            ),
        ],
    );
    let list = copy.contest(&["list"]).status(0);
    assert!(
        list.text().contains("private::store::Count"),
        "{}",
        list.text()
    );
    assert!(
        list.text().contains("--public leaves them out"),
        "{}",
        list.text()
    );
    copy.contest(&["list", "--public"]).status(4);
    let scenario = "let c = store::Count::new(); c.next() | c.next()";
    copy.contest(&["try", scenario]).status(0);
}

#[test]
fn a_storage_beside_the_package_is_the_argument_and_types_of_other_members_are_made() {
    let copy = Subject::copy("faulty/workspace");
    let run = copy
        .contest(&[
            "-p",
            "faulty-workspace",
            "--fail-fast",
            "--message-format",
            "json",
            "--no-emit",
        ])
        .status(1);
    let finding = run.with_reason("finding").remove(0);
    assert_eq!(finding["type"], "faulty_workspace::Bank");
    let text = finding.to_string();
    assert!(
        text.contains("deposit(") && text.contains("MemoryAccounts"),
        "{text}"
    );
}

#[test]
fn methods_of_a_trait_of_another_crate_are_operations() {
    let copy = Subject::copy("faulty/foreign_trait");
    let run = copy
        .contest(&["--fail-fast", "--message-format", "json", "--no-emit"])
        .status(1);
    let finding = run.with_reason("finding").remove(0).to_string();
    assert!(finding.contains("notify("), "{finding}");
}
