//! Futures of an unmodified crate: dropped at their `await`s, polled again, not woken.

use std::collections::BTreeSet;

use crate::support::Subject;

#[test]
fn futures_that_cannot_be_dropped_or_lose_their_wake_up_are_found_at_their_awaits() {
    let copy = Subject::copy("faulty/futures");
    let run = copy
        .contest(&[
            "--message-format",
            "json",
            "--budget",
            "10s",
            "--emit",
            "--deny",
            "reentrant-waker",
        ])
        .status(1);
    let findings = run.with_reason("finding");
    let found: BTreeSet<(String, String)> = findings
        .iter()
        .map(|it| {
            let text = |key: &str| it[key].as_str().unwrap_or_default().to_owned();
            (text("type"), text("kind"))
        })
        .collect();
    for (subject, kind) in [
        ("Accounts", "cancellation"),
        ("Bell", "reentrant-waker"),
        ("Gate", "lost-wakeup"),
        ("Mailbox", "lost-wakeup"),
        ("Permits", "cancellation"),
        ("Signal", "lost-wakeup"),
        ("SingleFlight", "cancellation"),
    ] {
        let entry = (format!("faulty_futures::{subject}"), kind.to_owned());
        assert!(found.contains(&entry), "{entry:?}: {found:?}");
    }
    // Polled and changed through `&mut self`, with a key that only the object makes.
    let tasks = "(std::sync::Mutex<faulty_futures::Tasks>, faulty_futures::Ticket)";
    let entry = (tasks.to_owned(), "lost-wakeup".to_owned());
    assert!(found.contains(&entry), "{found:?}");
    let text = format!("{findings:?}");
    assert!(!text.contains("contest-driver.rs"), "{text}");
    for alone in run.with_reason("alone") {
        let detail = alone["detail"].as_str().unwrap();
        assert!(!detail.is_empty() && !detail.ends_with(" at "), "{alone}");
    }
    let of_leader = findings
        .iter()
        .find(|it| it["type"] == "faulty_futures::SingleFlight")
        .unwrap();
    let rows = of_leader["interleaving"].as_array().unwrap();
    let pending = rows.iter().find(|row| row["event"] == "await: pending");
    let location = pending.unwrap()["location"].as_str().unwrap();
    assert!(location.starts_with("src/"), "{location}");
    assert_eq!(of_leader["cancelled"][0]["polls"], 1);

    // An emitted test polls and drops as the finding does, and fails without any luck.
    let correct = Subject::copy("correct/futures");
    let mut played = BTreeSet::new();
    for finding in &findings {
        let file = std::path::Path::new(finding["emitted"].as_str().unwrap());
        let name = file.file_stem().unwrap().to_str().unwrap();
        let file = format!("tests/{name}.rs");
        let source = copy.read(&file);
        if source.contains("within_time(") {
            played.insert(finding["type"].as_str().unwrap().to_owned());
            let fixed = source.replace("faulty_futures", "correct_futures");
            correct.write(&file, &fixed);
        } else {
            std::fs::remove_file(copy.directory.join(file)).unwrap();
        }
    }
    let names = ["Accounts", "Bell", "Gate", "Permits", "SingleFlight"];
    let names = names.map(|name| format!("faulty_futures::{name}"));
    for name in names.iter().chain([&tasks.to_owned()]) {
        assert!(played.contains(name), "{name}: {played:?}");
    }
    let emitted = copy.read("tests/contest_single_flight_cancellation_1.rs");
    assert!(emitted.contains("dropped_after(1, a.get())"), "{emitted}");
    let tested = copy.cargo(&["test", "--no-fail-fast", "--tests"]);
    assert!(!tested.stderr.contains("warning"), "{}", tested.stderr);
    assert!(!tested.stdout.contains("... ok"), "{}", tested.stdout);
    let hangs = "a thread hangs: nothing wakes it";
    assert!(tested.stdout.contains(hangs), "{}", tested.stdout);
    let wrong = "found Some([\"9\"]); one call after another: [Some([\"10\"])";
    assert!(tested.stdout.contains(wrong), "{}", tested.stdout);
    let tested = correct.cargo(&["test", "--no-fail-fast", "--tests"]);
    assert_eq!(tested.status, 0, "{}", tested.stdout);
}

#[test]
fn futures_that_undo_what_they_began_and_keep_the_newest_waker_are_clean() {
    let copy = Subject::copy("correct/futures");
    let run = copy
        .contest(&["--message-format", "json", "--budget", "4s", "--no-emit"])
        .status(0);
    let summary = run.summary();
    assert_eq!(summary["findings"], 0);
    let text = summary.to_string();
    assert!(text.contains("\"disturbed_futures\":1"), "{text}");
}

#[test]
fn a_typed_scenario_awaits_its_futures() {
    let copy = Subject::copy("faulty/futures");
    let scenario = "let g = Gate::new(); g.pass().await | g.open()";
    let run = copy
        .contest(&["try", scenario, "--message-format", "json"])
        .status(0);
    assert!(!run.with_reason("outcome").is_empty(), "{}", run.stderr);
    assert_eq!(run.with_reason("try-summary")[0]["complete"], true);
}
