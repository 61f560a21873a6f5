//! Cases of other race detectors (`--memory`): each race between its two lines and nothing else; nothing where all is
//! ordered.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;

use crate::support::Subject;

const FAULTY: &str = "faulty/race_suite";
const FILES: [&str; 4] = [
    "src/from_miri.rs",
    "src/from_thread_sanitizer.rs",
    "src/unusual_accesses.rs",
    "src/seqlock.rs",
];

/// For each type: the kind of its finding, and the lines that it must name, as `src/lib.rs:10`.
type Expected = BTreeMap<String, BTreeSet<(String, String)>>;

fn expected(copy: &Subject) -> Expected {
    let mut expected = Expected::new();
    for file in FILES {
        for (number, line) in copy.read(file).lines().enumerate() {
            let Some((_, mark)) = line.rsplit_once(" // ") else {
                continue;
            };
            if let Some((kind, name)) = mark.split_once(": ")
                && ["data-race", "use-after-free"].contains(&kind)
            {
                let line = format!("{file}:{}", number + 1);
                let lines = expected.entry(name.to_owned()).or_default();
                lines.insert((kind.to_owned(), line));
            }
        }
    }
    expected
}

/// The kinds of the findings of each type, with the lines that they name.
fn found(findings: &[Value]) -> Expected {
    let mut found = Expected::new();
    for finding in findings {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let name = text(&finding["type"]);
        let name = name.rsplit("::").next().unwrap();
        // The first two are those of the accesses; context switches follow.
        for location in finding["locations"].as_array().unwrap().iter().take(2) {
            let location = text(location);
            let (line, _column) = location.rsplit_once(':').unwrap();
            let entry = (text(&finding["kind"]), line.to_owned());
            found.entry(name.to_owned()).or_default().insert(entry);
        }
    }
    found
}

const JSON: [&str; 4] = ["--memory", "--no-emit", "--message-format", "json"];

#[test]
fn every_race_of_other_detectors_suites_is_found_at_its_two_lines_and_nothing_else() {
    let copy = Subject::copy(FAULTY);
    let expected = expected(&copy);
    assert_eq!(expected.len(), 35, "{expected:#?}");
    // Until each is found, and a while longer, for there are no others.
    let options = [&JSON[..], &["--threads", "2", "--calls", "2"]].concat();
    let run = copy.contest_until(&options, Duration::from_secs(3), |findings| {
        found(findings) == expected
    });
    let run = run.status(1);
    let findings = run.with_reason("finding");
    assert_eq!(found(&findings), expected, "{}", run.stderr);
    // Once each; only `Global` has a second pair of accesses, by two objects on one static.
    let of_global = |finding: &&Value| finding["type"] == "faulty_race_suite::Global";
    let global = findings.iter().filter(of_global).count();
    assert!([1, 2].contains(&global), "{}", run.stderr);
    assert_eq!(findings.len() - global + 1, expected.len());
    let unseen = &run.summary()["uninstrumented"][0];
    assert_eq!(unseen["item"], "inline assembly in faulty-race-suite");
    for (name, memory) in [
        ("ReadWrite", "`ReadWrite.value.0`, 4 bytes at offset"),
        ("CopiedRange", "`CopiedRange.bytes.0[9]`, 1 byte at offset"),
        ("Global", "from_thread_sanitizer::TOTAL.0`, 8 bytes"),
        (
            "FreedBesideRead",
            "`u32`, 4 bytes at offset 0 of a block of 4",
        ),
    ] {
        let of = |finding: &&Value| {
            let path = finding["type"].as_str().unwrap();
            path.rsplit("::").next() == Some(name)
        };
        let details = &findings.iter().find(of).unwrap()["details"];
        let lines = details.as_array().unwrap();
        let names_it = |line: &Value| line.as_str().unwrap().contains(memory);
        assert!(lines.iter().any(names_it), "{memory}: {details:#}");
    }
}

#[test]
fn nothing_is_found_in_the_cases_of_the_suites_in_which_all_is_ordered() {
    let copy = Subject::copy("correct/race_suite");
    let run = copy.contest(&[&JSON[..], &["--budget", "4s"]].concat());
    let run = run.status(0);
    let summary = run.summary();
    assert_eq!(summary["types"], 23, "{}", run.stderr);
    assert_eq!(summary["findings"], 0);
    assert!(summary["executions"].as_u64().unwrap() > 1_000, "{summary}");
}

#[test]
fn a_race_on_purpose_can_be_allowed_in_its_file_and_the_summary_says_so() {
    let copy = Subject::copy(FAULTY);
    let arguments = ["SeqLock", "--memory", "--no-emit", "--budget", "500ms"];
    let here = "data-race:src/seqlock.rs";
    let run = copy.contest(&[&arguments[..], &["--allow", here]].concat());
    let run = run.status(0);
    assert!(
        run.stdout.contains(&format!("allowed: {here}")),
        "{}",
        run.text()
    );
    let elsewhere = "data-race:src/from_miri.rs";
    copy.contest(&[&arguments[..], &["--allow", elsewhere]].concat())
        .status(1);
}
