//! The locks of the standard streams, which `std` has compiled already, are locks between virtual threads.

use crate::support::Subject;

#[test]
fn what_is_done_under_the_lock_of_a_stream_is_clean() {
    let copy = Subject::copy("correct/standard_streams");
    let run = copy.contest(&["--message-format", "json", "--budget", "2s"]);
    let run = run.status(0);
    let summary = run.summary();
    assert_eq!(summary["findings"], 0);
    assert_eq!(summary["types"], 5);
    let tests = copy
        .contest(&["test", "--message-format", "json"])
        .status(0);
    assert_eq!(tests.tests_that("ok").len(), 3, "{}", tests.text());
}

#[test]
fn a_deadlock_with_the_lock_of_a_stream_and_a_race_under_two_of_them_are_found() {
    let copy = Subject::copy("faulty/standard_streams");
    let arguments = ["--message-format", "json", "--budget", "20s", "--no-emit"];
    let run = copy.contest_until(&arguments, Default::default(), |lines| {
        let kinds = lines.iter().filter(|line| line["reason"] == "finding");
        kinds.count() == 2
    });
    let found = run.types_and_kinds();
    for (of, kind) in [("Crossed", "deadlock"), ("Guarded", "data-race")] {
        let is = |it: &&(String, String)| it.0.ends_with(of) && it.1 == kind;
        assert!(found.iter().any(|it| is(&it)), "{found:?}\n{}", run.stderr);
    }
}

#[test]
fn what_std_has_once_for_the_process_is_clean() {
    let copy = Subject::copy("correct/process_wide");
    let run = copy.contest(&["test", "--message-format", "json"]);
    let tests = run.tests();
    let bad: Vec<_> = tests.values().filter(|it| it["result"] != "ok").collect();
    assert!(
        tests.len() == 16 && bad.is_empty(),
        "{bad:#?}\n{}",
        run.stderr
    );
}
