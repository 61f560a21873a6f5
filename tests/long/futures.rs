//! Futures of an unmodified crate: dropped at their `await`s, polled again, not woken.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::support::Subject;

/// Type and kind of each of these is among the findings.
fn are_found(findings: &[Value], expected: &[(String, &str)]) -> bool {
    let is_found = |(of, kind): &(String, &str)| {
        let mut findings = findings.iter();
        findings.any(|it| it["type"] == of.as_str() && it["kind"] == *kind)
    };
    expected.iter().all(is_found)
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn futures_that_cannot_be_dropped_or_lose_their_wake_up_are_found_at_their_awaits() {
    let copy = Subject::copy("faulty/futures");
    let of_package = [
        ("Accounts", "cancellation"),
        ("Bell", "reentrant-waker"),
        ("Gate", "lost-wakeup"),
        ("Letterbox", "lost-wakeup"),
        ("Mailbox", "lost-wakeup"),
        ("Permits", "cancellation"),
        ("Signal", "lost-wakeup"),
        ("SingleFlight", "cancellation"),
        ("Slate", "lost-wakeup"),
    ];
    let of_package = of_package.map(|(of, kind)| (format!("faulty_futures::{of}"), kind));
    // Polled and changed through `&mut self`, with a key that only the object makes.
    let tasks = "(std::sync::Mutex<faulty_futures::Tasks>, faulty_futures::Ticket)";
    let expected = [&of_package[..], &[(tasks.to_owned(), "lost-wakeup")]].concat();
    let options = ["--message-format", "json", "--emit"];
    let options = [&options[..], &["--deny", "reentrant-waker"]].concat();
    let run = copy.contest_until(&options, Duration::ZERO, |findings| {
        are_found(findings, &expected)
    });
    let run = run.status(1);
    let findings = run.with_reason("finding");
    let found = run.types_and_kinds();
    assert!(are_found(&findings, &expected), "{expected:?}: {found:?}");
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
    // No waker was taken there.
    let of_slate = findings
        .iter()
        .find(|it| it["type"] == "faulty_futures::Slate")
        .unwrap();
    let rows = of_slate["interleaving"].as_array().unwrap();
    let pending = rows.iter().find(|row| row["event"] == "await: pending");
    let location = pending.unwrap()["location"].as_str().unwrap();
    assert!(location.starts_with("src/slate.rs:31:"), "{location}");

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
    copy.hang_briefly();
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

#[test]
fn streams_sinks_and_collections_of_futures_are_polled_through_their_traits() {
    let copy = Subject::copy("faulty/streams");
    let is_lost = |findings: &[Value], name: &str| {
        let mut lost = findings.iter().filter(|it| it["kind"] == "lost-wakeup");
        lost.any(|it| it["type"].as_str().unwrap().contains(name))
    };
    let are_lost = |findings: &[Value]| is_lost(findings, "Inlet") && is_lost(findings, "Crowd");
    let options = ["--message-format", "json", "--emit"];
    let run = copy.contest_until(&options, Duration::ZERO, are_lost);
    let findings = run.status(1).with_reason("finding");
    assert!(are_lost(&findings), "{findings:?}");
    copy.hang_briefly();
    // The emitted tests name the traits as well.
    let tested = copy.cargo(&["test", "--no-fail-fast", "--tests"]);
    assert_ne!(tested.status, 0, "{}", tested.stdout);
    assert!(
        tested.stdout.contains("nothing wakes it"),
        "{}{}",
        tested.stdout,
        tested.stderr
    );

    let correct = Subject::copy("correct/streams");
    let run = correct.contest(&["--message-format", "json", "--budget", "3s", "--no-emit"]);
    let summary = run.status(0).summary();
    assert_eq!(summary["findings"], 0);
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn a_collection_is_polled_by_the_wakers_of_its_futures_while_no_call_has_it() {
    let arguments = [
        "--message-format",
        "json",
        "Choir",
        "--deny",
        "reentrant-waker",
    ];
    let copy = Subject::copy("faulty/streams");
    let emitting = [&arguments[..], &["--emit"]].concat();
    let run = copy.contest_until(&emitting, Duration::ZERO, |findings| {
        findings.iter().any(|it| it["kind"] == "reentrant-waker")
    });
    let findings = run.status(1).with_reason("finding");
    let of_waker = findings.iter().find(|it| it["kind"] == "reentrant-waker");
    let of_waker = of_waker.expect("the waker holds a lock");
    let places = of_waker["locations"].to_string();
    assert!(places.contains("src/choir.rs"), "{places}");
    let rows = of_waker["interleaving"].as_array().unwrap();
    let polls = rows
        .iter()
        .find(|row| row["event"] == "its waker polls the future here");
    let location = polls.unwrap()["location"].as_str().unwrap();
    assert!(location.starts_with("src/choir.rs"), "{location}");
    let file = std::path::Path::new(of_waker["emitted"].as_str().unwrap());
    let name = file.file_stem().unwrap().to_str().unwrap();
    let emitted = copy.read(&format!("tests/{name}.rs"));
    copy.hang_briefly();
    let tested = copy.cargo(&["test", "--test", name]);
    assert!(tested.stdout.contains("hung"), "{}", tested.stdout);
    assert!(!tested.stderr.contains("warning"), "{}", tested.stderr);
    // Calls that wake while they have the collection are no such bug.
    let correct = Subject::copy("correct/streams");
    let run = correct.contest(&[&arguments[..], &["--no-emit", "--budget", "6s"]].concat());
    let summary = run.status(0).summary();
    assert_eq!(summary["findings"], 0);
    let emitted = emitted.replace("faulty_streams", "correct_streams");
    correct.write("tests/emitted.rs", &emitted);
    let tested = correct.cargo(&["test", "--test", "emitted"]);
    assert_eq!(tested.status, 0, "{}", tested.stdout);
}

#[test]
fn futures_that_behave_badly_hide_no_bug_and_are_none() {
    let copy = Subject::copy("unsupported/hostile_futures");
    let expected = [
        // No cancelled `Never::wait`: it has counted before its `await`, which is all that it ever does.
        ("Flag", "non-linearizable"),
    ];
    let expected =
        expected.map(|(name, kind)| (format!("unsupported_hostile_futures::{name}"), kind));
    let options = ["--message-format", "json", "--no-emit"];
    // A while longer: there are no others, and each type is to be tested.
    let run = copy.contest_until(&options, Duration::from_secs(3), |findings| {
        are_found(findings, &expected)
    });
    let run = run.status(1);
    let expected = expected.map(|(of, kind)| (of, kind.to_owned()));
    assert_eq!(run.types_and_kinds(), BTreeSet::from(expected));
    let details = |name: &str| {
        let alone = run.with_reason("alone").into_iter();
        let own = alone.filter(|it| it["type"] == format!("unsupported_hostile_futures::{name}"));
        own.map(|it| it["detail"].as_str().unwrap().to_owned())
            .collect::<String>()
    };
    for (name, detail) in [
        ("Never", "no thread is left to wake it"),
        ("PanicsInDrop", "dropped at src/lib.rs:"),
        ("PanicsInPoll", "polled again"),
    ] {
        assert!(details(name).contains(detail), "{name}: {}", details(name));
    }
    // Which of the two depends on the test in which it blocks first.
    let blocks = details("Blocks");
    assert!(
        blocks.contains("waits for a message from ") || blocks.contains("until another call lets"),
        "{blocks}"
    );
    let summary = run.summary();
    assert_eq!(summary["types"], 8);
    let used = &summary["coverage"]["operations_used"];
    assert!(used.as_u64().unwrap() >= 12, "{used}");
}
