//! Nothing is written without confirmation.

use super::support::Crate;

fn fresh() -> Crate {
    Crate::new("[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2024\"\n")
}

#[test]
fn the_difference_is_shown_first_and_a_dry_run_ends_there() {
    let it = fresh();
    let before = it.files();
    let run = it.init(&["--dry-run"]).status(0);
    for line in [
        "--- Cargo.toml",
        "+++ Cargo.toml",
        "+[dependencies]",
        "+contest-runtime = ",
        "--- /dev/null",
        "+++ tests/contest_example.rs",
    ] {
        assert!(run.stdout.contains(line), "{line}\n{}", run.stdout);
    }
    assert_eq!(it.files(), before);
}

#[test]
fn only_a_yes_is_a_yes() {
    let it = fresh();
    let before = it.files();
    for answer in ["", "n\n", "\n", "yep\n"] {
        let run = it.init_typing(&[], answer).status(2);
        assert!(run.stderr.contains("pass `--yes`"), "{}", run.stderr);
        assert_eq!(it.files(), before, "{answer:?}");
    }
    it.init_typing(&[], "y\n").status(0);
    assert!(it.read("Cargo.toml").contains("contest-runtime"));
}

#[test]
fn an_example_that_is_there_is_left_alone() {
    let it = fresh();
    it.write("tests/contest_example.rs", "// mine\n");
    let run = it.initialised(&[]);
    assert_eq!(it.read("tests/contest_example.rs"), "// mine\n");
    assert!(run.stdout.contains("stays as it is"), "{}", run.stdout);
}

#[test]
fn with_json_people_read_standard_error_and_programs_one_line() {
    let it = fresh();
    let run = it.init(&["--yes", "--message-format", "json"]).status(0);
    let line: serde_json::Value = serde_json::from_str(run.stdout.trim()).unwrap();
    assert_eq!(line["reason"], "init");
    assert_eq!(line["changed"], true);
    assert_eq!(line["files"].as_array().unwrap().len(), 2);
    assert!(run.stderr.contains("+contest-runtime"), "{}", run.stderr);
}
