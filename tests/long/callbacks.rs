//! Closures of users that call the object from inside of a call of it, or panic there.

use std::time::Duration;

use serde_json::Value;

use crate::support::Subject;

/// The calls of the deadlocks that are looked for: parts of each.
const WANTED: [[&str; 2]; 3] = [
    ["a.update(|…| { back.note(1); … })", "a.close()"],
    ["a.get_or_make(|…| panic!())", "a.get_or_make(|| 1)"],
    ["a.send()", "StandInConnect::connect_FAILS"],
];

fn shows(finding: &Value, calls: &[&str]) -> bool {
    let text = format!("{}{}", finding["prefix"], finding["threads"]);
    calls.iter().all(|call| text.contains(call))
}

#[test]
fn closures_that_call_the_object_or_panic_hang_others() {
    let copy = Subject::copy("faulty/callbacks");
    let options = ["--message-format", "json", "--budget", "40s"];
    let run = copy.contest_until(&options, Duration::ZERO, |findings| {
        let found = |calls: &[&str; 2]| findings.iter().any(|it| shows(it, calls));
        WANTED.iter().all(found)
    });
    let run = run.status(1);
    assert!(run.kinds().iter().all(|kind| kind == "deadlock"));
    // What a panic of users leads to alone is not for the crate to say; a call that waits for its own lock is.
    let alone = run.with_reason("alone");
    let waits_for_itself = |it: &Value| it["detail"].to_string().contains("held by itself");
    assert!(alone.iter().all(waits_for_itself), "{alone:?}");
    let findings = run.with_reason("finding");
    let test_of = |calls: &[&str; 2]| {
        let found = findings.iter().find(|it| shows(it, calls));
        let path = found.and_then(|it| it["emitted"].as_str());
        std::fs::read_to_string(path.unwrap_or_default()).unwrap()
    };
    let test = test_of(&WANTED[0]);
    assert!(test.contains("std::sync::Arc::downgrade((&a))"), "{test}");
    assert!(test.contains("fn come_back("), "{test}");
    let test = test_of(&WANTED[1]);
    assert!(test.contains("caught(|| a.get_or_make(x))"), "{test}");
    // The tests that were written compile.
    copy.cargo(&["test", "--no-run"]).status(0);
}
