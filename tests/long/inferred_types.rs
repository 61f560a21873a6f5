//! What compiles with `std` alone compiles beside what the tool links: the same types are inferred, the same names
//! found.

use crate::support::Subject;

#[test]
fn tests_and_examples_in_which_types_are_inferred_all_build_and_pass() {
    let copy = Subject::copy("correct/inferred_types");
    let run = copy.contest(&["test", "--message-format", "json"]);
    let run = run.status(0);
    let plain = copy.cargo(&["test"]).status(0);
    let passed = plain.stdout.lines().filter(|it| it.ends_with(" ... ok"));
    assert_eq!(run.tests_that("ok").len(), passed.count(), "{}", run.text());
    assert!(
        run.tests()
            .contains_key("names::found::a_module_is_what_its_name_means")
    );
    let without = run.with_reason("test-summary")[0]["uninstrumented"].clone();
    assert!(without.as_array().is_none_or(Vec::is_empty), "{without}");
}

#[test]
fn types_whose_code_infers_types_are_run() {
    let copy = Subject::copy("correct/inferred_types");
    let options = ["--message-format", "json", "--budget", "2s", "--no-emit"];
    let run = copy.contest(&options).status(0);
    assert_eq!(run.summary()["types"], 2, "{}", run.text());
}
