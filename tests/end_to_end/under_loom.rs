//! `--strategy loom`: the package's own tests, with loom's types in the code under test.

use std::path::Path;

use crate::support::{Subject, root, run, tool};

#[test]
fn the_tests_of_an_annotated_crate_run_under_loom() {
    // Where the workspace builds loom too.
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut command = tool();
    command
        .args(["contest", "--strategy", "loom", "--locked", "--target-dir"])
        .arg(built)
        .arg("--manifest-path")
        .arg(root().join("examples/bank/Cargo.toml"));
    let run = run(command).status(0);
    assert!(
        run.stderr.contains("test result: ok. 3 passed"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("SeqCst"), "{}", run.stderr);
}

#[test]
fn a_crate_without_loom_types_is_told_how_to_get_them() {
    let run = Subject::copy("faulty/abba")
        .contest(&["--strategy", "loom"])
        .status(2);
    assert!(run.stderr.contains("cargo contest init"), "{}", run.stderr);
}
