//! Types that users put behind a lock, with `--behind-lock`.

use std::time::Duration;

use serde_json::Value;

use crate::support::Subject;

const RUN: [&str; 3] = ["--behind-lock", "--message-format", "json"];

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn what_one_call_relies_on_from_the_one_before_is_found_behind_a_lock() {
    let copy = Subject::copy("faulty/behind_lock");
    let first_of = |findings: &[Value], ty: &str| -> Option<Value> {
        let mut all = findings.iter();
        all.find(|it| it["type"].as_str().unwrap().ends_with(ty))
            .cloned()
    };
    let run = copy.contest_until(&RUN, Duration::ZERO, |findings| {
        ["::Slots>", "::Level>"].map(|ty| first_of(findings, ty).is_some()) == [true; 2]
    });
    let run = run.status(1);
    let findings = run.with_reason("finding");
    let of = |ty: &str| first_of(&findings, ty).unwrap_or_else(|| panic!("{ty}: {}", run.stderr));
    let slots = of("::Slots>");
    assert_eq!(slots["kind"], "panic");
    assert_eq!(slots["locations"][0], "src/lib.rs:31:9");
    assert!(
        slots["threads"].to_string().contains("free() { a."),
        "{slots}"
    );
    let level = of("::Level>");
    assert_eq!(level["kind"], "non-linearizable");
    let schedule = level["schedule"].as_str().unwrap();
    copy.contest(&["replay", "--behind-lock", schedule])
        .status(1);
    copy.contest(&["test", "--emitted", "--behind-lock"])
        .status(1);
    // The types have nothing for threads to share without a lock.
    let without = copy.contest(&["--budget", "1s"]).status(4);
    assert!(
        without.stderr.contains("--behind-lock"),
        "{}",
        without.stderr
    );
}

#[test]
fn one_call_for_what_belongs_together_is_clean_behind_a_lock() {
    let copy = Subject::copy("correct/behind_lock");
    let run = copy.contest(&[&RUN[..], &["--budget", "2s"]].concat());
    let summary = run.status(0).summary();
    assert_eq!(summary["types"], 3);
    assert!(summary["executions"].as_u64().unwrap() > 100, "{summary}");
}
