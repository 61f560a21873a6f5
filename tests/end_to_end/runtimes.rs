//! Code that spawns tasks and sets timers finds a runtime.

use std::collections::BTreeSet;

use crate::support::Subject;

#[test]
fn types_that_spawn_tasks_and_set_timers_are_tested_as_they_are() {
    let copy = Subject::copy("faulty/runtime");
    let types = ["Client", "Pool", "Sorter", "Tally"];
    let options = ["--message-format", "json", "--budget", "14s", "--emit"];
    let run = copy.contest(&[&types[..], &options].concat()).status(1);
    let findings = run.with_reason("finding");
    let text = |it: &serde_json::Value, key: &str| it[key].as_str().unwrap_or_default().to_owned();
    let found: BTreeSet<(String, String)> = findings
        .iter()
        .map(|it| (text(it, "type"), text(it, "kind")))
        .collect();
    for (subject, kind) in [
        ("Client", "panic"),
        ("Pool", "deadlock"),
        ("Sorter", "panic"),
        ("Tally", "deadlock"),
    ] {
        let entry = (format!("faulty_runtime::{subject}"), kind.to_owned());
        assert!(found.contains(&entry), "{entry:?}: {found:?}");
    }
    // Results are judged where the task is at rest.
    let of_account = ["Account", "--message-format", "json", "--no-emit"];
    let of_account = copy.contest(&[&of_account[..], &["--budget", "4s"]].concat());
    assert_eq!(of_account.status(1).kinds(), ["non-linearizable"]);
    // A timer ends the wait, but it should not have been needed.
    let of_inbox = ["Inbox", "--message-format", "json", "--no-emit"];
    let of_inbox = copy.contest(&[&of_inbox[..], &["--budget", "3s"]].concat());
    let of_inbox = of_inbox.status(1);
    assert_eq!(of_inbox.kinds(), ["lost-wakeup"]);
    let late = of_inbox.with_reason("finding")[0]["message"].to_string();
    assert!(late.contains("nothing but time may wake it"), "{late}");
    // What waits is named by the package's own lines, and the runtime, which has nothing to do, is not named.
    let tally = findings
        .iter()
        .find(|it| it["type"] == "faulty_runtime::Tally")
        .unwrap();
    let details = tally["details"].to_string();
    assert!(details.contains("at src/tally.rs:"), "{details}");
    assert!(!details.contains("Condvar"), "{details}");
    // In another process the schedule does the same.
    let replayed = copy
        .contest(&["replay", &text(tally, "schedule")])
        .status(1);
    assert!(
        replayed.stdout.contains("never return"),
        "{}",
        replayed.stdout
    );
    // What a line of the package did in tokio is one row.
    let folded = replayed
        .stdout
        .lines()
        .find(|row| row.contains("tokio: ") && row.contains("steps"));
    let folded = folded.unwrap_or_else(|| panic!("{}", replayed.stdout));
    assert!(folded.contains("src/tally.rs:"), "{folded}");

    // Emitted tests start a runtime, and what is mended passes them.
    let correct = Subject::copy("correct/runtime");
    for finding in &findings {
        let emitted = text(finding, "emitted");
        let name = std::path::Path::new(&emitted).file_name().unwrap();
        let file = format!("tests/{}", name.to_str().unwrap());
        let source = copy.read(&file);
        assert!(source.contains("new_current_thread()"), "{source}");
        correct.write(&file, &source.replace("faulty_runtime", "correct_runtime"));
    }
    let tested = correct.cargo(&["test", "--no-fail-fast", "--tests"]);
    assert_eq!(tested.status, 0, "{}{}", tested.stdout, tested.stderr);
}

#[test]
fn types_that_use_tasks_and_timers_correctly_are_clean() {
    let copy = Subject::copy("correct/runtime");
    let run = copy
        .contest(&["--message-format", "json", "--budget", "6s", "--no-emit"])
        .status(0);
    let summary = run.summary();
    assert_eq!(summary["findings"], 0);
    assert_eq!(summary["operations"], 10, "{summary}");
    assert_eq!(run.with_reason("alone").len(), 0, "{}", run.stdout);
}
