//! Everyday code is clean: no error, no warning, no note. A sample; the rest is in `tests/long`.

use crate::support::Subject;

#[test]
fn types_that_depend_on_chance_are_clean() {
    let copy = Subject::copy("everyday/chance");
    let run = copy.contest(&["--message-format", "json", "--budget", "6s"]);
    let run = run.status(0);
    let summary = run.summary();
    assert_eq!(summary["findings"], 0);
    assert!(run.with_reason("alone").is_empty(), "{}", run.stdout);
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    // Something was there to be excused, and is counted.
    assert!(
        run.stdout
            .contains("one call after another may do that too"),
        "{}",
        run.stdout
    );
}
