//! Types that are hard to read or behave badly: never a crash, never silently fewer tests, never a finding.

use crate::support::Subject;

#[test]
fn every_type_is_tested_or_it_is_said_why_not() {
    let copy = Subject::copy("unsupported/hard_to_read");
    let run = copy
        .contest(&["--message-format", "json", "--budget", "4s", "--no-emit"])
        .status(0);
    let summary = run.summary();
    assert_eq!(summary["types"], 12, "{summary}");
    assert_eq!(summary["restarts"], 0, "{summary}");
    let alone = run.with_reason("alone");
    let fails = |name: &str, what: &str| {
        alone.iter().any(|it| {
            it["type"].as_str().unwrap().ends_with(name) && it["what"].as_str().unwrap() == what
        })
    };
    assert!(fails("Touchy", "panics") && fails("Failing", "panics"));
    assert!(fails("Waiting", "blocks"), "{alone:?}");
    let types = &summary["coverage"]["access_patterns"]["types"];
    for of_type in types.as_array().unwrap() {
        let name = of_type["type"].as_str().unwrap();
        let tested = of_type["overlapping_pairs"].as_u64().unwrap() > 0;
        let known_to_fail = ["Touchy", "Failing", "Waiting"]
            .iter()
            .any(|it| name.ends_with(it));
        assert_eq!(tested, !known_to_fail, "{of_type}");
    }
    let skipped = summary["coverage"]["tests_skipped"].to_string();
    for reason in [
        "its prefix blocks",
        "its prefix panics",
        "always panics",
        "nondeterministic: ",
    ] {
        assert!(skipped.contains(reason), "no `{reason}` in {skipped}");
    }
    assert!(!skipped.contains(copy.directory.to_str().unwrap()));
    // Included files and macros are read as the compiler reads them.
    let unread = summary["analysis"]["left_out"].as_array().unwrap();
    assert!(unread.is_empty(), "{unread:?}");
}
