//! Flaky tests from public reports: each is found with the kind that it is of, and its mended twin passes.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::Subject;

/// Kinds that the broken tests of a file have.
const KINDS: [(&str, &[&str]); 7] = [
    ("time", &["timing"]),
    ("tasks", &["timing", "panic", "deadlock"]),
    ("threads", &["timing", "panic", "deadlock"]),
    ("shared", &["interference", "data-race"]),
    ("files", &["timing", "panic", "interference", "randomness"]),
    ("sockets", &["timing", "panic", "interference"]),
    ("randomness", &["randomness"]),
];

/// Names of the tests of a module in a file.
fn tests_of(text: &str, module: &str) -> Vec<String> {
    let begin = format!("mod {module} {{");
    let inside = text.split(&begin).nth(1).unwrap_or_default();
    let inside = inside.split("\n}\n").next().unwrap_or_default();
    let mut names = Vec::new();
    let mut lines = inside.lines().peekable();
    while let Some(line) = lines.next() {
        let is_test = line.contains("#[test]") || line.contains("#[tokio::test");
        if is_test && let Some(next) = lines.peek() {
            let name = next.split("fn ").nth(1).and_then(|it| it.split('(').next());
            names.push(format!("{module}::{}", name.unwrap()));
        }
    }
    names
}

/// Executable of a finding, by its token's test.
fn of<'f>(findings: &'f [Value], test: &str) -> Vec<&'f Value> {
    let is_of = |it: &&Value| {
        let names = it["type"].as_str().unwrap_or_default();
        let mut names = names.split(" + ").flat_map(|it| it.split(" then "));
        names.any(|name| name == test)
    };
    findings.iter().filter(is_of).collect()
}

#[test]
#[ignore = "134 tests of up to two seconds each: run every week"]
fn reported_tests_are_found_and_their_twins_pass() {
    let subject = Subject::copy("faulty/reported_tests");
    let temporary = tempfile::tempdir().unwrap();
    let mut missed = BTreeMap::new();
    let mut seen = 0;
    for (file, kinds) in KINDS {
        // On a busy machine too.
        let time = ["--test-budget", "2s"];
        let arguments = ["test", "--message-format", "json", "--test", file];
        let arguments = [&arguments[..], &time].concat();
        let directory = temporary.path().to_str().unwrap();
        let run = subject.contest_with(&arguments, ("TMPDIR", directory));
        let run = run.status(1);
        let findings = run.with_reason("finding");
        let text = subject.read(&format!("tests/{file}.rs"));
        for test in tests_of(&text, "broken") {
            seen += 1;
            let found = of(&findings, &test).into_iter();
            let found: Vec<_> = found.map(|it| it["kind"].as_str().unwrap()).collect();
            if !found.iter().any(|kind| kinds.contains(kind)) {
                missed.insert((file, test), found.join(" "));
            }
        }
        let twins = findings.iter();
        let twins = twins.filter(|it| it["type"].to_string().contains("mended::"));
        let twins: Vec<_> = twins.map(|it| it["message"].to_string()).collect();
        assert!(twins.is_empty(), "{file}: {twins:#?}");
        let results = run.with_reason("test");
        for test in tests_of(&text, "mended") {
            let result = results.iter().find(|it| it["name"] == test.as_str());
            assert_eq!(result.unwrap()["result"], "ok", "{file}: {test}");
        }
        for (test, words) in NAMED
            .iter()
            .filter(|(of, ..)| *of == file)
            .map(|(_, it, words)| (it, words))
        {
            names_and_replays(&subject, &findings, test, words);
        }
    }
    assert!(seen >= 40, "{seen}");
    assert!(missed.is_empty(), "{missed:#?}");
    // What executions have created is gone.
    let left = std::fs::read_dir(temporary.path()).unwrap().flatten();
    let left: Vec<_> = left
        .map(|entry| entry.file_name().into_string().unwrap_or_default())
        .filter(|name| name.starts_with("reported-tests-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// What the finding of a pair says, by file and test.
const NAMED: [(&str, &str, &[&str]); 7] = [
    (
        "shared",
        "a_home_can_be_set",
        &["the environment variable `REPORTED_HOME`"],
    ),
    ("shared", "the_manifest_is_here", &["the working directory"]),
    ("shared", "the_hook_hears_one_panic", &["the panic hook"]),
    ("shared", "the_limit_is_published", &["LIMIT`"]),
    (
        "files",
        "a_small_block_is_read",
        &["the path `", "block.bin`"],
    ),
    (
        "files",
        "the_configuration_is_written",
        &["not_there_at_first` does not pass after `broken::the_configuration_is_written`"],
    ),
    ("sockets", "the_relay_has_the_same", &["port 47921"]),
];

/// Those of them that are replayed: one beside the other, and one after it.
const REPLAYED: [&str; 2] = ["the_manifest_is_here", "the_configuration_is_written"];

fn names_and_replays(subject: &Subject, findings: &[Value], test: &str, words: &[&str]) {
    let of_test = of(findings, &format!("broken::{test}"));
    let says = |it: &&&Value| {
        let message = it["message"].as_str().unwrap();
        words.iter().all(|word| message.contains(word))
    };
    let Some(finding) = of_test.iter().find(says) else {
        panic!("{test}: {of_test:#?}");
    };
    if !REPLAYED.contains(&test) {
        return;
    }
    let token = finding["schedule"].as_str().unwrap();
    let again = subject.contest(&["replay", token]).status(1);
    assert!(
        again.stdout.contains("panics: "),
        "{test}: {}",
        again.stdout
    );
}
