//! `--strategy loom`: the package's own tests, with loom's types in the code under test.

use crate::support::{Subject, copy_tree, root};

#[test]
#[ignore = "it builds the runtime over loom, which takes minutes: run every week"]
fn the_tests_of_an_annotated_crate_run_under_loom() {
    // Outside the workspace, which would have the runtime optimised once more for this.
    let copy = Subject::empty();
    copy_tree(&root().join("examples/bank"), &copy.directory);
    let runtime = root().join("contest-runtime").canonicalize().unwrap();
    let manifest = copy
        .read("Cargo.toml")
        .replace("../../contest-runtime", runtime.to_str().unwrap());
    copy.write("Cargo.toml", &format!("{manifest}\n[workspace]\n"));
    // The versions of the workspace, which are downloaded already.
    let versions = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    copy.write("Cargo.lock", &versions);
    let run = copy.contest(&["--strategy", "loom"]).status(0);
    assert!(
        run.stderr.contains("test result: ok. 3 passed"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("SeqCst"), "{}", run.stderr);
}

#[test]
fn a_crate_without_loom_types_is_shown_how_to_get_them() {
    let run = Subject::copy("faulty/abba")
        .contest(&["--strategy", "loom"])
        .status(2);
    assert!(run.stderr.contains("cargo contest init"), "{}", run.stderr);
}
