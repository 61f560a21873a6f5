//! Wake-ups that are lost beside a flag of the caller.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::support::Subject;

const JSON: [&str; 2] = ["--message-format", "json"];

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn wake_ups_that_are_lost_beside_the_flag_of_a_caller_are_found_and_replayed() {
    let copy = Subject::copy("faulty/wake_ups");
    let expected = [
        ("(faulty_wake_ups::Event, CallersFlag)", "deadlock"),
        ("(faulty_wake_ups::Executor, CallersTasks)", "deadlock"),
        ("(faulty_wake_ups::Place, CallersFlag)", "lost-wakeup"),
        ("faulty_wake_ups::Door", "deadlock"),
    ];
    let expected: BTreeSet<(String, String)> = expected
        .iter()
        .map(|(of, kind)| ((*of).to_owned(), (*kind).to_owned()))
        .collect();
    // A while longer, for there are no others.
    let options = [&JSON[..], &["--emit"]].concat();
    let run = copy.contest_until(&options, Duration::from_secs(2), |findings| {
        let is_found = |(of, kind): &(String, String)| {
            let mut findings = findings.iter();
            findings.any(|it| it["type"] == of.as_str() && it["kind"] == kind.as_str())
        };
        expected.iter().all(is_found)
    });
    let run = run.status(1);
    let findings = run.with_reason("finding");
    assert_eq!(run.types_and_kinds(), expected);
    let emitted = |name: &str| copy.read(&format!("tests/contest_{name}_1.rs"));
    for finding in &findings {
        if finding["type"] == "faulty_wake_ups::Door" {
            continue;
        }
        // The flag has a name, like the fields of the package.
        let steps = finding["interleaving"].to_string();
        assert!(
            steps.contains("Flag.is_set.store(1)") && steps.contains("Flag.is_set.load() -> 0"),
            "{steps}"
        );
        let token = finding["schedule"].as_str().unwrap();
        let replayed = copy.contest(&["replay", token]).status(1);
        let kind = finding["kind"].as_str().unwrap();
        assert!(replayed.stdout.contains(kind), "{}", replayed.stdout);
    }
    // No thread that polls in turns takes an older value than the newest one.
    assert!(emitted("place_lost_wakeup").contains("Order::Turns"));
    assert!(!emitted("event_deadlock").contains("Order::Turns"));
    let built = copy.cargo(&["test", "--no-run"]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    assert!(!built.stderr.contains("warning"), "{}", built.stderr);
    let tested = copy.contest(&["test"]).status(1);
    let shown = format!("{}{}", tested.stdout, tested.stderr);
    let failed = format!("{} failed", findings.len());
    assert!(shown.contains(&failed), "{shown}");
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn two_of_them_need_an_older_value() {
    let copy = Subject::copy("faulty/wake_ups");
    let options = ["--memory-model", "sc", "--budget", "12s", "--no-emit"];
    let run = copy.contest(&[&JSON[..], &options].concat()).status(1);
    let place = "(faulty_wake_ups::Place, CallersFlag)".to_owned();
    let found = run.types_and_kinds().into_iter();
    let found: Vec<(String, String)> = found.filter(|(of, _)| of.starts_with('(')).collect();
    assert_eq!(found, [(place, "lost-wakeup".to_owned())]);
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn wake_ups_that_come_are_clean_and_so_is_who_registers_in_its_first_poll() {
    let copy = Subject::copy("correct/wake_ups");
    for model in ["auto", "rc11"] {
        let options = ["--memory-model", model, "--budget", "8s", "--no-emit"];
        let run = copy.contest(&[&JSON[..], &options].concat()).status(0);
        let summary = run.summary();
        assert_eq!(summary["findings"], 0);
    }
}
