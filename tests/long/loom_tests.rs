//! loom's own tests as tests of `std`: the files as they were published, with other imports. Each model runs once, as a
//! plain test does, and `cargo contest test` explores it.
//!
//! The crate `loom` that they import is [`std_as_loom.rs`](loom_tests/std_as_loom.rs). `Rc` is `Arc`, because loom's
//! threads may share it; `unsync_load`, which `std` does not have, is a plain read; `#[should_panic]` goes, because
//! what is found is not always a panic.

use std::collections::BTreeSet;
use std::fs;

use crate::ported::{assert_only_these_panic, names_of_panicking, tests_of};
use crate::support::{Subject, root};

/// Tests whose outcome says nothing about `std`, or is another one there, by reason.
const OTHERS: [(&str, &[&str]); 9] = [
    (
        "collects what all executions have seen",
        &[
            "acq_rel",
            "load_buffering",
            "store_buffering",
            "test_seq_cst",
        ],
    ),
    (
        "load buffering, which RC11 forbids; loom ignores it",
        &["relaxed"],
    ),
    (
        "an update reads the newest value; loom ignores it",
        &["compare_and_swap_reads_old_values"],
    ),
    (
        "loom's executor polls without a wake-up",
        &["spurious_poll"],
    ),
    (
        "sets loom's limit of an execution",
        &["double_panic_at_branch_max"],
    ),
    (
        "loom drops statics at the end of an execution",
        &["lazy_static_arc_shutdown"],
    ),
    ("leaks in every execution", &["detect_mem_leak"]),
    (
        "the main thread's locals live as long as the test",
        &["drop"],
    ),
    ("the thread of a test has a name", &["initial_thread"]),
];

#[test]
#[ignore = "it builds loom's own tests, which takes a minute: run every week"]
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
    // One executable for all files: one for each takes almost twice the time.
    let mut panics = BTreeSet::new();
    let mut modules = String::new();
    for entry in fs::read_dir(tests_of("loom", root())).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(path).unwrap();
        panics.extend(names_of_panicking(&text));
        copy.write(&format!("tests/of_loom/{name}.rs"), &ported(&text));
        // `yield` is a keyword.
        modules += &format!("#[path = \"of_loom/{name}.rs\"]\nmod of_{name};\n");
    }
    copy.write("tests/ported.rs", &modules);
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
    assert_eq!(run.with_reason("test").len(), 141, "{}", run.stderr);
    assert_only_these_panic(&run, &panics, &OTHERS);
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
