//! What threads keep over calls, locks in opposite orders, and objects that know each other.

use std::time::Duration;

use serde_json::Value;

use crate::support::Subject;

/// The calls of the deadlocks that are looked for: parts of each.
const WANTED: [[&str; 2]; 3] = [
    ["let kept = a.left()", "a.sum()"],
    ["a.0.after(&a.1)", "a.1.tick()"],
    ["a.0.down(&a.1)", "a.1.up()"],
];

fn shows(finding: &Value, calls: &[&str]) -> bool {
    let threads = finding["threads"].to_string();
    calls.iter().all(|call| threads.contains(call))
}

#[test]
fn kept_guards_and_objects_that_know_each_other_deadlock() {
    let copy = Subject::copy("faulty/knots");
    let options = ["--message-format", "json", "--budget", "40s"];
    let run = copy.contest_until(&options, Duration::ZERO, |findings| {
        let found = |calls: &[&str; 2]| findings.iter().any(|it| shows(it, calls));
        WANTED.iter().all(found)
    });
    let run = run.status(1);
    assert!(run.kinds().iter().all(|kind| kind == "deadlock"));
    let findings = run.with_reason("finding");
    let all = || findings.iter();
    for calls in &WANTED {
        assert!(all().any(|it| shows(it, calls)), "{calls:?}");
    }
    // What is kept lives on in the test that is written.
    let kept = all().find(|it| shows(it, &WANTED[0]));
    let path = kept.and_then(|it| it["emitted"].as_str());
    let test = std::fs::read_to_string(path.unwrap_or_default()).unwrap();
    assert!(test.contains("let kept = a.left();"), "{test}");
    assert!(test.contains("drop(kept);"), "{test}");
}
