//! loom's own tests as tests of `std`: the files as they were published, with other imports. Each model runs once, as a
//! plain test does, and `cargo contest test` explores it.
//!
//! The crate `loom` that they import is [`std_as_loom.rs`](loom_tests/std_as_loom.rs). `Rc` is `Arc`, because loom's
//! threads may share it; `unsync_load`, which `std` does not have, is a plain read; `#[should_panic]` goes, because
//! what is found is not always a panic.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::support::{Subject, root};

/// Tests whose outcome says nothing about `std`, or is another one there, with the reason.
const OTHERS: [(&str, &str); 12] = [
    ("acq_rel", "collects what all executions have seen"),
    ("test_seq_cst", "collects what all executions have seen"),
    ("store_buffering", "collects what all executions have seen"),
    ("load_buffering", "collects what all executions have seen"),
    (
        "relaxed",
        "load buffering, which RC11 forbids; loom ignores it",
    ),
    (
        "compare_and_swap_reads_old_values",
        "an update reads the newest value; loom ignores it",
    ),
    ("spurious_poll", "loom's executor polls without a wake-up"),
    (
        "double_panic_at_branch_max",
        "sets loom's limit of an execution",
    ),
    (
        "lazy_static_arc_shutdown",
        "loom drops statics at the end of an execution",
    ),
    ("detect_mem_leak", "leaks in every execution"),
    ("drop", "the main thread's locals live as long as the test"),
    ("initial_thread", "the thread of a test has a name"),
];

#[test]
fn what_loom_finds_in_its_tests_is_found_and_nothing_else() {
    let copy = Subject::empty();
    copy.write(
        "Cargo.toml",
        "[package]\nname = \"ported\"\nversion = \"0.1.0\"\nedition = \"2018\"\n[features]\nfutures = []\n\
         [dev-dependencies]\nloom = { path = \"loom\" }\n[workspace]\n",
    );
    copy.write("src/lib.rs", "");
    copy.write(
        "loom/Cargo.toml",
        "[package]\nname = \"loom\"\nversion = \"0.0.0\"\nedition = \"2021\"\n",
    );
    copy.write("loom/src/lib.rs", include_str!("loom_tests/std_as_loom.rs"));
    let mut panics = BTreeSet::new();
    for entry in fs::read_dir(tests_of_loom()).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(path).unwrap();
        panics.extend(names_of_panicking(&text));
        copy.write(&format!("tests/{file}"), &ported(&text));
    }
    let run = copy
        .contest(&[
            "test",
            "--tests",
            "--all-features",
            "--test-budget",
            "500ms",
            "--message-format",
            "json",
            "--",
            "--include-ignored",
        ])
        .status(1);
    let results = run.with_reason("test");
    assert_eq!(results.len(), 141, "{}", run.stderr);
    let mut wrong = Vec::new();
    for result in &results {
        let name = name_of(result);
        let fails = result["result"] == "failed" || result["result"] == "fails-sometimes";
        let is_other = OTHERS.iter().any(|(other, _)| *other == name);
        if !is_other && fails != panics.contains(&name) {
            wrong.push(result.to_string());
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let names: BTreeSet<String> = results.iter().map(name_of).collect();
    for (other, why) in OTHERS {
        assert!(names.contains(other), "{other} ({why}) is no test");
    }
}

/// Without the path of its module.
fn name_of(result: &Value) -> String {
    let name = result["name"].as_str().unwrap();
    name.rsplit("::").next().unwrap().to_owned()
}

/// The directory of the tests of the loom that the workspace depends on.
fn tests_of_loom() -> PathBuf {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root());
    let output = command.output().unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let loom = packages.iter().find(|it| it["name"] == "loom").unwrap();
    let manifest = PathBuf::from(loom["manifest_path"].as_str().unwrap());
    manifest.with_file_name("tests")
}

/// Names of the tests that are to panic under loom.
fn names_of_panicking(text: &str) -> Vec<String> {
    let after = text.split("#[should_panic").skip(1);
    after
        .map(|rest| {
            let name = rest.split("fn ").nth(1).unwrap();
            name.split('(').next().unwrap().to_owned()
        })
        .collect()
}

fn ported(text: &str) -> String {
    let lines = text
        .lines()
        .filter(|it| !it.contains("#[should_panic") && !it.starts_with("#![deny("));
    lines
        .map(|line| {
            line.replace("use std::rc::Rc;", "use std::sync::Arc as Rc;")
                .replace(
                    "use futures_util::future::poll_fn;",
                    "use std::future::poll_fn;",
                )
                .replace(
                    "unsafe { a.unsync_load() };",
                    "std::hint::black_box(unsafe { *a.as_ptr() });",
                )
                + "\n"
        })
        .collect()
}
