//! Tests that start processes, or wait for others: real time passes for these.

use crate::support::Subject;

#[test]
fn tests_with_children_do_what_cargo_test_does() {
    let copy = Subject::copy("correct/children");
    copy.cargo(&["test"]).status(0);
    let run = copy.contest(&["test", "--message-format", "json"]);
    let tests = run.tests();
    let bad: Vec<_> = tests.values().filter(|it| it["result"] != "ok").collect();
    assert!(
        tests.len() == 12 && bad.is_empty(),
        "{bad:#?}\n{}",
        run.stderr
    );
}

#[test]
fn a_test_that_fails_says_why() {
    let source = r#"
        #[test]
        fn returns_an_error() -> Result<(), String> {
            Err("the reason".into())
        }

        #[test]
        fn fails_by_a_child() {
            let mut command = std::process::Command::new("sh");
            let output = command.arg("-c").arg("echo out; exit 3").output().unwrap();
            assert!(output.status.success(), "the child says {:?}", output.status.code());
        }

        #[test]
        fn fails_now_and_then_outside() {
            let mut command = std::process::Command::new("sh");
            let script = "test -e mark && rm mark || touch mark";
            assert!(command.arg("-c").arg(script).status().unwrap().success());
            assert!(std::path::Path::new("mark").exists(), "no mark");
            panic!("a mark");
        }
    "#;
    let manifest = "[package]\nname = \"reasons\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let copy = Subject::with(
        "reasons",
        &[("Cargo.toml", manifest), ("src/lib.rs", source)],
    );
    let run = copy
        .contest(&["test", "--message-format", "json"])
        .status(1);
    let tests = run.tests();
    let why = |name: &str| tests[name]["why"].as_str().unwrap_or_default().to_owned();
    assert!(why("returns_an_error").contains("the reason"), "{tests:#?}");
    assert!(
        why("fails_by_a_child").contains("the child says Some(3)"),
        "{tests:#?}"
    );
    assert!(
        why("fails_now_and_then_outside").contains("mark"),
        "{tests:#?}"
    );
}
