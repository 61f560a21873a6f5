//! A toolchain beside the one that runs the tests: whatever is read of the compiler there differs in details.

use crate::support::{Run, Subject, run, tool};

/// Run in a copy of the subject with the nightly toolchain.
fn nightly(subject: &str, arguments: &[&str]) -> Run {
    let copy = Subject::copy(subject);
    let mut command = tool();
    command
        .arg("contest")
        .args(arguments)
        .args(["--message-format", "json"])
        .env("RUSTUP_TOOLCHAIN", "nightly")
        .current_dir(&copy.directory);
    run(command)
}

#[test]
#[ignore = "needs a nightly toolchain beside the one that runs the tests"]
fn nightly_finds_what_stable_finds() {
    let run = ["--budget", "4s", "--no-emit"];
    for (subject, kind) in [
        ("faulty/abba", "deadlock"),
        ("faulty/racy_cells", "data-race"),
        ("faulty/set_and_inc", "non-linearizable"),
        ("faulty/futures", "cancellation"),
    ] {
        let run = nightly(subject, &run).status(1);
        assert!(
            run.kinds().iter().any(|it| it == kind),
            "{subject}: {}",
            run.stderr
        );
    }
    for subject in ["correct/ordered_locks", "correct/futures"] {
        nightly(subject, &run).status(0);
    }
    let run = nightly("faulty/flaky_tests", &["test"]).status(1);
    let summary = &run.with_reason("test-summary")[0];
    assert_eq!(summary["fails_sometimes"], 20, "{}", run.stderr);
}

/// `.ci/toolchains` runs more of this, on toolchains beside this one.
#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn every_kind_of_subject_has_its_finding() {
    let copy = Subject::copy("faulty/every_kind");
    let run = ["--budget", "8s", "--no-emit", "--message-format", "json"];
    let found = copy.contest(&run).status(1).types_and_kinds();
    for (subject, kind) in [
        ("Visits", "non-linearizable"),
        ("Gate", "lost-wakeup"),
        ("Receiver", "deadlock"),
        ("names", "non-linearizable"),
        ("Shelf", "data-race"),
        ("Parcel", "non-linearizable"),
    ] {
        let is_there = |(of, is): &(String, String)| of.contains(subject) && is == kind;
        assert!(found.iter().any(is_there), "{subject}: {found:?}");
    }
    let run = copy
        .contest(&["test", "--message-format", "json"])
        .status(1);
    assert_eq!(run.tests_that("fails-sometimes").len(), 2, "{}", run.stdout);
}
