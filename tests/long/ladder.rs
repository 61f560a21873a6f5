//! The ladder of shapes: what a run states of whole rungs, and what it finds because it goes on to the next one.

use crate::support::Subject;
use serde_json::Value;

/// The rungs of the only type.
fn rungs(summary: &Value) -> &Vec<Value> {
    summary["ladder"][0]["rungs"].as_array().unwrap()
}

fn rung<'a>(summary: &'a Value, shape: &str) -> &'a Value {
    let found = rungs(summary).iter().find(|rung| rung["shape"] == shape);
    found.unwrap_or_else(|| panic!("no {shape} in {summary}"))
}

#[test]
fn of_a_correct_subject_it_is_stated_that_every_small_test_was_run_in_every_interleaving() {
    let copy = Subject::copy("correct/set_and_inc");
    let bounds = ["--threads", "2", "--calls", "1", "--memory"];
    let run = copy
        .contest(&[&["--message-format", "json"], &bounds[..]].concat())
        .status(0);
    let summary = run.summary();
    let first = rung(&summary, "2 threads, 1 call each");
    let statement = first["statement"].as_str().unwrap();
    assert!(
        statement.starts_with("every test of 2 threads, 1 call each over the "),
        "{statement}"
    );
    assert!(statement.contains("in every interleaving"), "{statement}");
    assert_eq!(first["tests_exact"], true);
    let count = |field: &str| first[field].as_u64().unwrap();
    assert_eq!(count("complete") + count("redundant"), count("tests"));
    assert!(rung(&summary, "2 threads, 1 call each, after 1 call")["statement"].is_string());
    // The bounds are reached before the budget is.
    assert!(summary["elapsed_ms"].as_u64().unwrap() < 60_000);
    for rung in rungs(&summary) {
        assert_eq!(rung["threads"].as_array().unwrap().len(), 2, "{rung}");
        assert_eq!(rung["enumerated"], true, "{rung}");
    }
    assert!(
        run.stderr
            .contains("  stated      every test of 2 threads, 1 call each"),
        "{}",
        run.stderr
    );
}

#[test]
fn of_a_rung_in_which_memory_was_not_watched_nothing_is_stated() {
    let copy = Subject::copy("correct/set_and_inc");
    let run = copy
        .contest(&[
            "--message-format",
            "json",
            "--threads",
            "2",
            "--calls",
            "1",
            "--no-memory",
        ])
        .status(0);
    let summary = run.summary();
    let first = rung(&summary, "2 threads, 1 call each");
    assert_eq!(first["statement"], Value::Null);
    assert_eq!(first["complete"], 0);
    assert!(
        first["partly"][0]["why"]
            .as_str()
            .unwrap()
            .contains("memory"),
        "{first}"
    );
    assert!(!run.stderr.contains("  stated"), "{}", run.stderr);
}

/// Many executions follow the last one of the exhaustive search: of RC11, and of strategies that had their turn before.
/// What is said rests on that search alone.
#[test]
fn a_search_that_was_watched_counts_whatever_else_was_run() {
    let copy = Subject::copy("correct/weak_structures");
    let bounds = ["--budget", "3Msteps", "--threads", "2", "--calls", "1"];
    let run = copy
        .contest(&[&["--message-format", "json"], &bounds[..]].concat())
        .status(0);
    let summary = run.summary();
    for of_type in summary["ladder"].as_array().unwrap() {
        let rungs = of_type["rungs"].as_array().unwrap();
        assert!(rungs[0]["statement"].is_string(), "{}", rungs[0]);
    }
}

#[test]
fn of_a_rung_in_which_a_test_was_cut_nothing_is_stated() {
    let copy = Subject::copy("faulty/abba");
    let run = copy
        .contest(&[
            "--message-format",
            "json",
            "--threads",
            "2",
            "--calls",
            "1",
            "--memory",
            "--no-emit",
            "--budget",
            "2s",
        ])
        .status(1);
    let summary = run.summary();
    let first = rung(&summary, "2 threads, 1 call each");
    assert_eq!(
        first["statement"],
        Value::Null,
        "a test stopped at its finding: {first}"
    );
    assert!(!first["cut"].as_array().unwrap().is_empty(), "{first}");
}

#[test]
fn a_wakeup_that_only_three_threads_can_lose_is_found_at_default_settings() {
    let copy = Subject::copy("faulty/one_wakeup_for_two");
    let run = copy
        .contest(&["--message-format", "json", "--fail-fast", "--no-emit"])
        .status(1);
    assert_eq!(run.kinds(), ["deadlock"], "{}", run.stderr);
    let findings = run.with_reason("finding");
    let threads = findings[0]["threads"].as_array().unwrap();
    assert_eq!(threads.len(), 3, "{}", findings[0]);
}

#[test]
fn with_a_wakeup_for_each_item_nothing_is_found() {
    let copy = Subject::copy("correct/one_wakeup_each");
    let run = copy
        .contest(&["--message-format", "json", "--budget", "4s"])
        .status(0);
    let summary = run.summary();
    assert_eq!(summary["findings"], 0);
    let three = rungs(&summary)
        .iter()
        .any(|rung| rung["threads"].as_array().unwrap().len() == 3);
    assert!(
        three,
        "three threads are tried without being asked for: {summary}"
    );
}
