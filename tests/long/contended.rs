//! Memory that threads contend for: its accesses are scheduling points, and only then the bugs between them show.

use std::time::Duration;

use crate::support::Subject;

const JSON: [&str; 3] = ["--message-format", "json", "--no-emit"];

#[test]
fn bugs_between_accesses_that_no_drop_in_type_makes_are_found_and_replay() {
    let copy = Subject::copy("faulty/contended_memory");
    // A while longer, for there are no others.
    let longer = Duration::from_millis(500);
    let run = copy.contest_until(&JSON, longer, |findings| findings.len() == 2);
    let run = run.status(1);
    let kinds = ["non-linearizable", "torn-read"];
    assert_eq!(run.kinds(), kinds, "{}", run.stderr);
    let findings = run.with_reason("finding");
    assert_eq!(findings.len(), 2, "{}", run.stderr);
    let source = copy.read("src/lib.rs");
    let line = |text: &str| {
        let line = source.lines().position(|line| line.contains(text)).unwrap();
        format!("src/lib.rs:{}:", line + 1)
    };
    for (name, kind, event, place) in [
        ("Pair", kinds[1], "read of Pair.left", "let left ="),
        ("Group", kinds[0], ".load() -> 1", "Arc::strong_count"),
    ] {
        let finding = findings
            .iter()
            .find(|finding| finding["type"].as_str().unwrap().ends_with(name))
            .unwrap_or_else(|| panic!("nothing in {name}: {}", run.stderr));
        let steps = finding["interleaving"].as_array().unwrap();
        let shown = steps.iter().any(|step| {
            step["event"].as_str().unwrap().contains(event)
                && step["location"].as_str().unwrap().starts_with(&line(place))
        });
        assert!(shown, "{event} at {}: {steps:#?}", line(place));
        // Without the option the driver would not see these accesses: the token says that they matter.
        let token = finding["schedule"].as_str().unwrap();
        let replayed = copy.contest(&["replay", "--no-memory", token]).status(1);
        assert!(replayed.stdout.contains(kind), "{}", replayed.stdout);
    }
    let summary = run.summary();
    assert!(summary["tests_with_contended_memory"].as_u64().unwrap() >= 2);
}

#[test]
fn without_watching_memory_the_same_bugs_stay_hidden() {
    let copy = Subject::copy("faulty/contended_memory");
    let run = copy
        .contest(&[&JSON[..], &["--no-memory", "--budget", "2s"]].concat())
        .status(0);
    assert_eq!(run.summary()["tests_with_contended_memory"], 0);
}

#[test]
fn their_correct_twins_are_clean_with_every_access_a_scheduling_point() {
    let copy = Subject::copy("correct/contended_memory");
    let run = copy
        .contest(&[&JSON[..], &["--memory", "--budget", "2s"]].concat())
        .status(0);
    let summary = run.summary();
    assert!(
        summary["tests_with_contended_memory"].as_u64().unwrap() > 2,
        "{summary}"
    );
    let human = copy
        .contest(&["--budget", "1s", "--no-emit", "-v"])
        .status(0);
    let text = "accesses of contended memory were scheduling points";
    assert!(human.stdout.contains(text), "{}", human.stdout);
}
