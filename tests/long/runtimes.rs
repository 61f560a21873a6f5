//! Code that spawns tasks and sets timers finds a runtime.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::support::{Run, Subject};

const JSON: [&str; 3] = ["--message-format", "json", "--no-emit"];

/// Whether there is a finding of each type and kind.
fn are_found(findings: &[Value], expected: &[(String, String)]) -> bool {
    let is_found = |(of, kind): &(String, String)| {
        let mut findings = findings.iter();
        findings.any(|it| it["type"] == of.as_str() && it["kind"] == kind.as_str())
    };
    expected.iter().all(is_found)
}

/// A run of this type, from its first finding on for as long as there might be others.
#[track_caller]
fn run_of(copy: &Subject, name: &str) -> Run {
    let options = [&[name], &JSON[..]].concat();
    let longer = Duration::from_secs(1);
    let run = copy.contest_until(&options, longer, |findings| !findings.is_empty());
    run.status(1)
}

fn text(finding: &Value, key: &str) -> String {
    finding[key].as_str().unwrap_or_default().to_owned()
}

#[test]
#[ignore = "it builds a runtime, which takes minutes: run every week"]
fn types_that_spawn_tasks_and_set_timers_are_tested_as_they_are() {
    let copy = Subject::copy("faulty/runtime");
    let types = ["Client", "Pool", "Sorter", "Tally"];
    let expected = [
        ("Client", "panic"),
        ("Pool", "deadlock"),
        ("Sorter", "panic"),
        ("Tally", "deadlock"),
    ];
    let expected = expected.map(|(of, kind)| (format!("faulty_runtime::{of}"), kind.into()));
    let options = ["--message-format", "json", "--emit"];
    let options = [&types[..], &options].concat();
    let run = copy.contest_until(&options, Duration::ZERO, |findings| {
        are_found(findings, &expected)
    });
    let run = run.status(1);
    let findings = run.with_reason("finding");
    assert!(are_found(&findings, &expected), "{}", run.stderr);
    // Results are judged where the task is at rest.
    let of_account = run_of(&copy, "Account");
    assert_eq!(of_account.kinds(), ["non-linearizable"]);
    // A timer ends the wait, but it should not have been needed.
    let of_inbox = run_of(&copy, "Inbox");
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
#[ignore = "it builds a runtime, which takes minutes: run every week"]
fn types_that_use_tasks_and_timers_correctly_are_clean() {
    let copy = Subject::copy("correct/runtime");
    let run = copy
        .contest(&["--message-format", "json", "--budget", "6s", "--no-emit"])
        .status(0);
    let summary = run.summary();
    assert_eq!(summary["findings"], 0);
    assert_eq!(summary["operations"], 10, "{summary}");
    assert_eq!(run.with_reason("alone").len(), 0, "{}", run.stdout);
    // An idle runtime leaves no gap.
    let count = "use std::sync::atomic::{AtomicU32, Ordering::SeqCst}; let n = AtomicU32::new(0); n.fetch_add(1, SeqCst) | \
                 n.fetch_add(1, SeqCst)";
    let tried = copy.contest(&["try", count]).status(0).stdout;
    assert!(tried.contains("2 outcomes in"), "{tried}");
    assert!(!tried.contains("not every interleaving"), "{tried}");
}

#[test]
#[ignore = "it builds a runtime, which takes minutes: run every week"]
fn a_thread_that_is_woken_in_the_kernel_sees_what_came_before() {
    let copy = Subject::copy("correct/worker_thread");
    let options = ["--memory-model", "rc11", "--budget", "12s", "--no-emit"];
    let run = copy
        .contest(&[&options[..], &["--message-format", "json"]].concat())
        .status(0);
    let summary = run.summary();
    assert_eq!(summary["findings"], 0);
    assert_ne!(summary["executions"], 0);
}

#[test]
#[ignore = "it builds two runtimes beside tokio, which takes minutes: run every week"]
fn types_with_tasks_and_timers_of_async_std_and_smol_are_tested_as_they_are() {
    let copy = Subject::copy("faulty/executors");
    let expected = [
        ("Client", "panic"),
        ("Pool", "deadlock"),
        ("Tally", "deadlock"),
    ];
    let expected = expected.map(|(name, kind)| (format!("faulty_executors::{name}"), kind.into()));
    // A while longer, for there are no others.
    let run = copy.contest_until(&JSON, Duration::from_secs(2), |findings| {
        are_found(findings, &expected)
    });
    let run = run.status(1);
    let findings = run.with_reason("finding");
    assert_eq!(run.types_and_kinds(), BTreeSet::from(expected));
    // Threads of the executors that have nothing to do are not named.
    let tally = findings
        .iter()
        .find(|it| it["type"] == "faulty_executors::Tally")
        .unwrap();
    let details = tally["details"].to_string();
    assert!(!details.contains("background thread"), "{details}");
    let replayed = copy.contest(&["replay", &text(tally, "schedule")]);
    let replayed = replayed.status(1).stdout;
    assert!(replayed.contains("never return"), "{replayed}");

    let correct = Subject::copy("correct/executors")
        .contest(&["--message-format", "json", "--budget", "6s", "--no-emit"])
        .status(0);
    let summary = correct.summary();
    assert_eq!(summary["findings"], 0);
    assert_eq!(summary["operations"], 3, "{summary}");
    assert_eq!(correct.with_reason("alone").len(), 0, "{}", correct.stdout);
}

#[test]
#[ignore = "it builds a runtime, which takes minutes: run every week"]
fn tasks_run_beside_each_other_where_the_runtime_may_have_several_threads() {
    let copy = Subject::copy("faulty/parallel_tasks");
    let options = ["--message-format", "json", "--emit"];
    let longer = Duration::from_secs(2);
    let run = copy.contest_until(&options, longer, |findings| !findings.is_empty());
    let run = run.status(1);
    assert_eq!(run.kinds(), ["deadlock"]);
    let finding = &run.with_reason("finding")[0];
    let prefix = finding["prefix"].to_string();
    assert!(prefix.contains("Ledger::new() on two workers"), "{prefix}");
    let emitted = finding["emitted"].as_str().unwrap();
    let name = std::path::Path::new(emitted).file_name().unwrap();
    let file = format!("tests/{}", name.to_str().unwrap());
    let source = copy.read(&file);
    assert!(source.contains("new_multi_thread()"), "{source}");

    let correct = Subject::copy("correct/parallel_tasks");
    let options = ["--message-format", "json", "--budget", "4s", "--no-emit"];
    let run = correct.contest(&options).status(0);
    assert_eq!(run.summary()["findings"], 0);
    correct.write(
        &file,
        &source.replace("faulty_parallel", "correct_parallel"),
    );
    let tested = correct.cargo(&["test", "--tests"]);
    assert_eq!(tested.status, 0, "{}{}", tested.stdout, tested.stderr);
}

#[test]
#[ignore = "it builds two packages with a runtime, which takes minutes: run every week"]
fn tests_on_asynchronous_runtimes_are_explored() {
    let run = Subject::copy("faulty/async_tests")
        .contest(&["test", "--message-format", "json", "--test-budget", "4s"])
        .status(1);
    let of_faulty = run.tests();
    assert_eq!(of_faulty.len(), 4, "{}", run.stderr);
    assert_eq!(run.tests_that("fails-sometimes").len(), 4, "{}", run.stderr);
    let findings = run.with_reason("finding");
    let lost = |it: &&Value| it["test"] == "tests::a_notification_arrives";
    let lost = findings.iter().find(lost).unwrap();
    assert_eq!(lost["kind"], "deadlock", "{lost}");

    let run = Subject::copy("correct/async_tests")
        .contest(&["test", "--message-format", "json", "--test-budget", "1s"])
        .status(0);
    let of_correct = run.tests();
    assert_eq!(
        run.tests_that("not-run"),
        ["tests::no_one_connects"],
        "{}",
        run.stderr
    );
    assert_eq!(run.tests_that("ok").len(), 8, "{}", run.stderr);
    let why = &of_correct["tests::no_one_connects"]["why"];
    assert!(
        why.as_str().unwrap().contains("waits for a socket"),
        "{why}"
    );
    // Each execution opens descriptors, and none closes them all.
    let many = &of_correct["tests::descriptors_do_not_run_out"];
    assert!(many["executions"].as_u64().unwrap() > 1, "{many}");
    let notification = &of_correct["tests::a_notification_arrives"];
    assert!(
        notification["executions"].as_u64().unwrap() > 10,
        "{notification}"
    );
}

#[test]
#[ignore = "it builds pools of threads, which takes minutes: run every week"]
fn tests_with_scopes_and_pools_are_explored() {
    let run = Subject::copy("faulty/scoped_tests")
        .contest(&["test", "--message-format", "json", "--test-budget", "4s"])
        .status(1);
    assert_eq!(run.tests().len(), 9, "{}", run.stderr);
    assert_eq!(run.tests_that("fails-sometimes").len(), 9, "{}", run.stderr);
    let findings = run.with_reason("finding");
    let kind_of = |test: &str| {
        let of_test = findings.iter().find(|finding| finding["test"] == test);
        of_test.unwrap()["kind"].clone()
    };
    assert_eq!(kind_of("a_slot_on_the_stack_is_full_or_empty"), "data-race");
    assert_eq!(kind_of("both_ways_in_a_scope_of_crossbeam"), "deadlock");
    assert_eq!(kind_of("all_items_of_an_iterator_count"), "panic");
    assert_eq!(kind_of("a_pool_of_two_fills_a_slot"), "data-race");

    let run = Subject::copy("correct/scoped_tests")
        .contest(&["test", "--message-format", "json", "--test-budget", "1s"])
        .status(0);
    let results = run.tests();
    assert_eq!(run.tests_that("ok").len(), 17, "{}", run.stderr);
    for (name, line) in &results {
        let of_scopes = line["executable"] == "test scopes";
        assert!(line["complete"] == true || !of_scopes, "{line}");
        // The pool is made anew in each execution: its threads are counted in every one.
        assert!(of_scopes || line["threads"].as_u64() > Some(1), "{line}");
        assert!(line["executions"].as_u64() > Some(2), "{name}: {line}");
    }
}

#[test]
#[ignore = "it builds three versions of runtimes, which takes minutes: run every week"]
fn two_versions_of_a_runtime_and_timers_without_one_hide_no_bug() {
    let copy = Subject::copy("unsupported/mixed_runtimes");
    let both = ["OldLock", "NewLock"];
    let both = both.map(|it| {
        (
            format!("unsupported_mixed_runtimes::{it}"),
            "non-linearizable".to_owned(),
        )
    });
    let options = [&JSON[..], &["-j", "2"]].concat();
    // A while longer, for there are no others.
    let run = copy.contest_until(&options, Duration::from_secs(3), |findings| {
        are_found(findings, &both)
    });
    let run = run.status(1);
    assert_eq!(run.types_and_kinds(), BTreeSet::from(both));
    for (name, detail) in [
        (
            "Elsewhere",
            "the context of a Tokio 1.x runtime at src/lib.rs:",
        ),
        ("OldTimer", "the context of a Tokio 0.2.x runtime at "),
    ] {
        let name = format!("unsupported_mixed_runtimes::{name}");
        let alone = run.with_reason("alone");
        let own = alone.iter().find(|it| it["type"] == name).unwrap();
        assert!(text(own, "detail").contains(detail), "{own}");
    }
    // Both processes make the same tests: what one has left in memory does not steer the other.
    let alone = [&["NewLock", "--budget", "10s"], &options[..]].concat();
    let ladder = copy.contest(&alone).status(1).summary()["ladder"].clone();
    let rungs = ladder[0]["rungs"].as_array().unwrap();
    assert!(rungs.len() > 10, "{ladder}");
    for rung in rungs {
        let count = |key: &str| rung[key].as_u64().unwrap();
        assert!(count("tests_begun") <= count("tests"), "{rung}");
    }
}
