//! Campaigns that go on: what a run keeps, what the next one makes of it, also after an edit and after `kill -9`.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::{Run, Subject, tool};

const STATE: &[&str] = &[
    "--state",
    "kept",
    "--no-emit",
    "--jobs",
    "1",
    "--message-format",
    "json",
];

fn run(subject: &Subject, more: &[&str]) -> Run {
    subject.contest(&[STATE, more].concat())
}

fn kept(subject: &Subject) -> Value {
    serde_json::from_str(&subject.read("kept/state.json")).unwrap()
}

/// Tests begun of each type, by name.
fn begun(subject: &Subject) -> Vec<(String, u64)> {
    let kept = kept(subject);
    let subjects = kept["subjects"].as_array().unwrap().iter();
    let begun = subjects.map(|of| {
        let part = &of["streams"][0]["parts"][0];
        (
            of["name"].as_str().unwrap().to_owned(),
            part["begun"].as_u64().unwrap(),
        )
    });
    begun.collect()
}

#[test]
fn a_campaign_goes_on_and_says_what_was_mended() {
    let subject = Subject::copy("faulty/nightly");
    let first = run(&subject, &["--budget", "1s"]).status(1);
    assert_eq!(first.summary()["state"]["run"], 1);
    assert_eq!(first.summary()["state"]["types_new"], 2);
    let tests = first.summary()["tests"].as_u64().unwrap();

    // What is known comes first; its tests are not run again, and the counts are those of both runs.
    let second = run(&subject, &["--budget", "1s"]).status(1);
    let (summary, before) = (second.summary(), begun(&subject));
    assert_eq!(summary["state"]["types_unchanged"], 2);
    assert_eq!(summary["state"]["tests_before"].as_u64(), Some(tests));
    assert!(summary["tests"].as_u64() > Some(tests), "{summary}");
    let findings = second.with_reason("finding");
    assert_eq!(findings[0]["known"], "found in run 1 of this campaign");
    let mut fingerprints: Vec<&Value> = findings.iter().map(|it| &it["fingerprint"]).collect();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), findings.len(), "reported twice");

    // What is known does not fail a run, and comparing finds nothing new in the older results.
    subject.write("old.json", &first.stdout);
    let more = ["--budget", "5s", "--baseline", "old.json", "--fail-fast"];
    let only_known = subject
        .contest(&[&more[..], &STATE[2..]].concat())
        .status(0);
    assert_eq!(only_known.summary()["findings_in_baseline"], 1);
    assert_eq!(
        only_known.with_reason("finding")[0]["known"],
        "in the baseline"
    );
    let difference = subject.contest(&["diff", "kept", "old.json"]).status(0);
    assert!(
        difference.stdout.contains("0 findings new"),
        "{}",
        difference.stdout
    );
    let none = subject.contest(&["diff", "nowhere", "kept"]).status(2);
    assert!(
        none.stderr.contains("cannot read nowhere"),
        "{}",
        none.stderr
    );

    // Mended: only this type is explored anew.
    let source = subject.read("src/numbers.rs");
    let mended = source.replace(
        "let next = self.known.lock().unwrap().len() as u32;\n        *self.known.lock().unwrap()",
        "let mut known = self.known.lock().unwrap();\n        let next = known.len() as u32;\n        *known",
    );
    assert_ne!(source, mended);
    subject.write("src/numbers.rs", &mended);
    let third = run(&subject, &["--budget", "1s", "Numbers"]).status(0);
    let state = third.summary()["state"].clone();
    assert_eq!(
        state["types_changed"],
        serde_json::json!(["faulty_nightly::Numbers"])
    );
    let gone = state["findings_mended"].as_array().unwrap().len()
        + state["findings_unclear"].as_array().unwrap().len();
    assert_eq!(
        gone,
        fs::read_dir(subject.directory.join("kept/findings"))
            .unwrap()
            .count()
    );
    assert_eq!(state["findings_open"], 0);
    let slots = |all: &[(String, u64)]| all.iter().find(|it| it.0.contains("Slots")).unwrap().1;
    assert_eq!(slots(&before), slots(&begun(&subject)), "was not selected");
}

#[test]
fn a_killed_run_loses_no_finding_and_repeats_one_test_at_most() {
    let subject = Subject::copy("faulty/nightly");
    run(&subject, &["--budget", "100ms"]);
    let mut found: Vec<String> = Vec::new();
    for wait in [700, 1_350] {
        let before = begun(&subject);
        let mut child = tool()
            .arg("contest")
            .args(STATE)
            .args(["--budget", "10m"])
            .current_dir(&subject.directory)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Exploration has begun when its lane is in the state.
        while kept(&subject)["lanes"].as_array().unwrap().is_empty() {
            assert!(child.try_wait().unwrap().is_none(), "ended by itself");
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        let killed = Run {
            status: 0,
            stdout: whole_lines(&output.stdout),
            stderr: String::new(),
        };
        let reported = killed.with_reason("finding");
        found.extend(
            reported
                .iter()
                .map(|it| it["fingerprint"].as_str().unwrap().to_owned()),
        );

        let next = run(&subject, &["--budget", "100ms"]);
        assert!(matches!(next.status, 0 | 1), "{}", next.stderr);
        let state = next.summary()["state"].clone();
        assert_eq!(state["after_kill"], true);
        let after = begun(&subject);
        for ((name, before), (_, after)) in before.iter().zip(&after) {
            assert!(after >= before, "{name}: {before} {after}");
        }
        let known: Vec<Value> = next.with_reason("finding");
        for fingerprint in &found {
            let is_there = known
                .iter()
                .any(|it| it["fingerprint"] == fingerprint.as_str());
            assert!(is_there, "lost: {fingerprint}");
        }
        assert_eq!(state["types_unchanged"], 2);
    }
    // What was paused when a run was killed is gone on with.
    let last = run(&subject, &["--budget", "1s"]).status(1);
    assert!(last.kinds().contains(&"non-linearizable".to_owned()));
}

/// The last line of a killed process may be cut off.
fn whole_lines(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let end = text.rfind('\n').map_or(0, |at| at + 1);
    text[..end].to_owned()
}

#[test]
fn a_state_that_cannot_be_used_is_refused_before_anything_slow() {
    let subject = Subject::copy("faulty/nightly");
    let refused = |file: &str, text: &str, expected: &str| {
        subject.write(file, text);
        let run = run(&subject, &[]).status(2);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    };
    refused("kept/state.json", r#"{"format":99}"#, "has format 99");
    refused("kept/state.json", r#"{"format":4,"pack"#, "is damaged");
    let other =
        r#"{"format":4,"package":"other","runs":1,"elapsed_ms":0,"subjects":[],"lanes":[]}"#;
    refused("kept/state.json", other, "is of the package `other`");
    fs::remove_dir_all(subject.directory.join("kept")).unwrap();
    refused("kept", "a file", "cannot use");
    fs::remove_file(subject.directory.join("kept")).unwrap();

    // Another run has it.
    fs::create_dir_all(subject.directory.join("kept")).unwrap();
    let lock = fs::File::create(subject.directory.join("kept/lock")).unwrap();
    lock.lock().unwrap();
    let second = run(&subject, &[]).status(2);
    assert!(
        second.stderr.contains("another run uses"),
        "{}",
        second.stderr
    );
}

#[test]
fn only_types_that_changed_since_a_revision_are_tested() {
    let subject = Subject::copy("faulty/nightly");
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]);
        let status = command
            .args(arguments)
            .current_dir(&subject.directory)
            .output()
            .unwrap();
        assert!(status.status.success(), "{status:?}");
    };
    git(&["init", "--quiet"]);
    git(&["add", "Cargo.toml", "src"]);
    git(&["commit", "--quiet", "-m", "first"]);
    let arguments = [
        "--since",
        "HEAD",
        "--budget",
        "300ms",
        "--no-emit",
        "--message-format",
        "json",
    ];
    let none = subject.contest(&arguments).status(0);
    assert_eq!(
        none.with_reason("nothing-changed").len(),
        1,
        "{}",
        none.text()
    );

    // Other lines are no other code; another body is.
    let slots = subject.read("src/slots.rs");
    subject.write(
        "src/slots.rs",
        &format!("// A line.\n{slots}")
            .replace("values.push(value);", "values.push(value.max(1));"),
    );
    subject.write(
        "src/numbers.rs",
        &format!("// A line.\n{}", subject.read("src/numbers.rs")),
    );
    let index = fs::read(subject.directory.join(".git/index")).unwrap();
    let some = subject.contest(&arguments).status(0);
    let types: Vec<_> = some.summary()["ladder"].as_array().unwrap().clone();
    assert_eq!(types.len(), 1, "{types:?}");
    assert_eq!(types[0]["type"], "faulty_nightly::Slots");
    assert_eq!(
        some.summary()["types_unchanged"],
        serde_json::json!(["faulty_nightly::Numbers"])
    );
    assert_eq!(
        fs::read(subject.directory.join(".git/index")).unwrap(),
        index
    );

    let unknown = subject.contest(&["--since", "nowhere"]).status(2);
    assert!(
        unknown.stderr.contains("no revision `nowhere`"),
        "{}",
        unknown.stderr
    );
}
