//! A finding can be run again, from its token and from the test that was emitted for it.

use crate::support::Subject;

/// Explores a subject and gives its first finding's token.
fn token(copy: &Subject, arguments: &[&str]) -> String {
    let mut all = vec!["--message-format", "json", "--budget", "3s", "--fail-fast"];
    all.extend(arguments);
    let run = copy.contest(&all).status(1);
    run.with_reason("finding")[0]["schedule"]
        .as_str()
        .unwrap()
        .to_string()
}

#[test]
fn a_token_shows_the_same_interleaving_every_time() {
    let copy = Subject::copy("faulty/abba");
    let token = token(&copy, &["--no-emit"]);
    let first = copy.contest(&["replay", &token]).status(1);
    let second = copy.contest(&["replay", &token]).status(1);
    assert!(first.stdout.contains("error[deadlock]"), "{}", first.stdout);
    assert!(first.stdout.contains("| thread 1"), "{}", first.stdout);
    assert_eq!(first.stdout, second.stdout);
}

#[test]
fn a_token_run_on_mended_code_says_that_the_bug_did_not_show() {
    let copy = Subject::copy("faulty/abba");
    let token = token(&copy, &["--no-emit"]);
    let mended = copy.read("src/lib.rs").replace(
        "        let mut checking = self.checking.lock().unwrap();
        let mut savings = self.savings.lock().unwrap();",
        "        let mut savings = self.savings.lock().unwrap();
        let mut checking = self.checking.lock().unwrap();",
    );
    copy.write("src/lib.rs", &mended);
    let run = copy.contest(&["replay", &token]).status(0);
    assert!(run.stdout.contains("did not show again"), "{}", run.stdout);
}

#[test]
fn a_token_of_another_crate_is_refused() {
    let token = token(&Subject::copy("faulty/abba"), &["--no-emit"]);
    let run = Subject::copy("correct/bounded_queue")
        .contest(&["replay", &token])
        .status(2);
    assert!(run.stderr.contains("token"), "{}", run.stderr);
}

#[test]
fn an_emitted_test_compiles_and_is_replayed_by_cargo_contest_test() {
    let copy = Subject::copy("faulty/set_and_inc");
    token(&copy, &["--emit"]);
    let file = "tests/contest_counter_non_linearizable_1.rs";
    let text = copy.read(file);
    assert!(text.contains("std::thread::scope"), "{text}");

    let compiled = copy.cargo(&[
        "test",
        "--no-run",
        "--test",
        "contest_counter_non_linearizable_1",
    ]);
    assert_eq!(compiled.status, 0, "{}\n{text}", compiled.stderr);
    assert!(
        !compiled.stderr.contains("warning"),
        "{}\n{text}",
        compiled.stderr
    );

    let run = copy.contest(&["test"]).status(1);
    assert!(
        run.stdout
            .contains("contest_counter_non_linearizable_1 ... FAILED"),
        "{}",
        run.stdout
    );
    copy.contest(&["replay", file]).status(1);

    let mended = Subject::copy("correct/set_and_inc").read("src/lib.rs");
    copy.write("src/lib.rs", &mended);
    let run = copy.contest(&["test"]).status(0);
    assert!(
        run.stdout
            .contains("contest_counter_non_linearizable_1 ... ok"),
        "{}",
        run.stdout
    );
}

/// Results are compared in real threads: a program with the package as it is says how many rounds were wrong.
#[test]
fn a_finding_is_confirmed_with_real_threads() {
    let copy = Subject::copy("faulty/set_and_inc");
    // Without the lock, and with a long moment between the two steps: no luck is needed.
    let source = copy.read("src/lib.rs");
    let slow = source.replace(
        "        let _lock = self.lock.lock().unwrap();\n        let x = self.x.load(SeqCst);\n",
        "        let x = self.x.load(SeqCst);\n        std::thread::sleep(std::time::Duration::from_millis(1));\n",
    );
    assert_ne!(source, slow);
    copy.write("src/lib.rs", &slow);
    let token = token(&copy, &["--no-emit"]);
    let confirm = [
        "confirm",
        &token,
        "--budget",
        "1s",
        "--message-format",
        "json",
    ];
    let run = copy.contest(&confirm).status(1);
    let confirmed = &run.with_reason("confirmed")[0];
    assert_eq!(confirmed["seen"], true, "{confirmed}");
    assert!(confirmed["failed"].as_u64() > Some(0), "{confirmed}");
    let first = confirmed["first"].as_str().unwrap();
    assert!(first.contains("one call after another"), "{first}");

    let mended = Subject::copy("correct/set_and_inc").read("src/lib.rs");
    copy.write("src/lib.rs", &mended);
    let run = copy.contest(&confirm).status(2);
    assert!(
        run.stderr.contains("does not show it any more"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_emitted_test_that_was_edited_is_not_overwritten() {
    let copy = Subject::copy("faulty/set_and_inc");
    token(&copy, &["--emit", "more"]);
    let file = "more/contest_counter_non_linearizable_1.rs";
    let edited = format!("{}// kept\n", copy.read(file));
    copy.write(file, &edited);
    token(&copy, &["--emit", "more"]);
    assert_eq!(copy.read(file), edited);
}

#[test]
fn without_tests_there_is_nothing_to_run() {
    let copy = Subject::copy("correct/spin_lock");
    let run = copy.contest(&["test", "--emitted"]).status(4);
    assert!(run.stderr.contains("no emitted test"), "{}", run.stderr);
    let run = copy.contest(&["test"]).status(4);
    assert!(run.stderr.contains("has no test"), "{}", run.stderr);
}
