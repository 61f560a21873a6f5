//! A test that fails in each execution there was time for, and passes under `cargo test`, does not fail always.

use crate::support::Subject;

const MANIFEST: &str =
    "[package]\nname = \"passing\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";

const LIBRARY: &str = r#"
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::thread;

/// Sets a flag in a thread that is not joined.
pub fn set_soon() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let theirs = flag.clone();
    thread::spawn(move || theirs.store(true, SeqCst));
    flag
}

/// Takes a while, and more than that where each access is watched.
pub fn work() -> u64 { (0..20_000_000).fold(0, |sum, it| black_box(sum + it)) }

#[test]
fn the_flag_is_set_after_some_work() {
    let flag = set_soon();
    work();
    assert!(flag.load(SeqCst), "not set");
}

#[test]
fn the_process_goes_on_after_some_work() {
    let flag = set_soon();
    work();
    if !flag.load(SeqCst) { std::process::abort() }
}

#[test]
fn seven_is_eight() { assert_eq!(7, 8); }

/// Its threads are those of libtest under `cargo test`.
#[test]
fn the_process_has_more_than_one_thread() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let threads = status.lines().find_map(|it| it.strip_prefix("Threads:")).unwrap();
    assert_ne!(threads.trim(), "1");
}

/// A thread may keep its handle a little longer than its message.
#[test]
#[ignore]
fn the_results_are_free_after_the_last_message() {
    let results = Arc::new(());
    let (done, all_done) = mpsc::channel();
    for number in 0..3 {
        let (results, done) = (results.clone(), done.clone());
        thread::spawn(move || {
            done.send(number).unwrap();
            drop(results);
        });
    }
    assert_eq!(all_done.iter().take(3).count(), 3);
    Arc::try_unwrap(results).unwrap();
}
"#;

#[test]
fn what_passes_without_control_does_not_fail_always_and_what_is_contended_has_a_turn() {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY)];
    let subject = Subject::with("passing", &files);
    // No time for a second interleaving.
    let options = ["test", "--test-budget", "1ms", "--message-format", "json"];
    let run = subject.contest(&options).status(1);
    assert_eq!(
        run.tests_that("failed"),
        ["seven_is_eight"],
        "{}",
        run.stderr
    );
    let mut sometimes = run.tests_that("fails-sometimes");
    sometimes.sort_unstable();
    let expected = [
        "the_flag_is_set_after_some_work",
        "the_process_goes_on_after_some_work",
    ];
    assert_eq!(sometimes, expected, "{}", run.stderr);
    // It has nothing to choose, so no interleaving is to blame.
    assert_eq!(
        run.tests_that("not-run"),
        ["the_process_has_more_than_one_thread"],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("without control it passes, and it has one thread"),
        "{}",
        run.stderr
    );
    let findings = run.with_reason("finding");
    assert_eq!(findings.len(), 2, "{findings:#?}");
    for finding in &findings {
        let details = finding["details"].to_string();
        assert!(
            details.contains("without control the test passes"),
            "{details}"
        );
        let token = finding["schedule"].as_str().unwrap();
        subject.contest(&["replay", token]).status(1);
    }

    // Its exploration has no end, and what is contended has a turn all the same.
    let name = "the_results_are_free_after_the_last_message";
    let options = ["test", name, "--message-format", "json", "--", "--ignored"];
    let run = subject.contest(&options).status(1);
    assert_eq!(run.tests_that("fails-sometimes"), [name], "{}", run.stderr);
}
