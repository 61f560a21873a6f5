//! Everyday code: sound types are clean, without a warning or a note, and their twins with one line broken are not.

use std::collections::BTreeSet;

use crate::support::Subject;

/// Nothing is found, and nothing is said of calls that fail alone.
#[track_caller]
fn is_clean(subject: &str) {
    let copy = Subject::copy(subject);
    let run = copy.contest(&["--message-format", "json", "--budget", "15s"]);
    let run = run.status(0);
    let summary = run.summary();
    assert_eq!(summary["findings"], 0);
    assert!(run.with_reason("alone").is_empty(), "{}", run.stdout);
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
}

/// Each of these types has a finding, and no other type has.
#[track_caller]
fn are_found(subject: &str, types: &[&str]) {
    let copy = Subject::copy(subject);
    let run = copy.contest(&["--message-format", "json", "--budget", "20s", "--no-emit"]);
    let run = run.status(1);
    let found = run.types_and_kinds().into_iter();
    let last = |path: String| path.rsplit("::").next().unwrap_or_default().to_owned();
    let found: BTreeSet<String> = found.map(|(path, _)| last(path)).collect();
    let expected: BTreeSet<String> = types.iter().map(|&it| it.to_owned()).collect();
    assert_eq!(found, expected, "{}", run.stdout);
}

#[test]
fn chance() {
    is_clean("everyday/chance");
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn chance_broken() {
    are_found(
        "everyday/chance_broken",
        &["AnyOf", "Dice", "Meter", "Names", "Sessions", "Soon"],
    );
}

#[test]
fn synchronisation_of_std() {
    is_clean("everyday/std_sync");
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn collections_of_std() {
    is_clean("everyday/std_collections");
}

#[test]
fn tests_of_std() {
    let copy = Subject::copy("everyday/std_tests");
    let run = copy
        .contest(&["test", "--message-format", "json"])
        .status(0);
    assert_eq!(run.tests_that("ok").len(), 29, "{}", run.stdout);
    assert_eq!(run.tests().len(), 29, "{}", run.stdout);
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
}

#[test]
fn cancelled() {
    let copy = Subject::copy("everyday/cancelled");
    let run = copy.contest(&["--message-format", "json", "--budget", "15s"]);
    assert_eq!(run.status(0).summary()["findings"], 0);
}
