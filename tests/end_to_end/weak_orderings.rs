//! Orderings that are too weak: found by generated tests under RC11, and only there.

use crate::support::Subject;

const JSON: [&str; 5] = ["--message-format", "json", "--budget", "6s", "--no-emit"];

#[test]
fn orderings_that_are_too_weak_are_found_explained_and_replayed() {
    let copy = Subject::copy("faulty/weak_orderings");
    let run = copy.contest(&JSON).status(1);
    let findings = run.with_reason("finding");
    let of = |name: &str| {
        let found = findings
            .iter()
            .find(|finding| finding["type"].as_str().unwrap().contains(name));
        found.unwrap_or_else(|| panic!("nothing in {name}: {}", run.stderr))
    };
    assert_eq!(of("Left")["kind"], "data-race");
    let published = of("Published");
    assert_eq!(published["kind"], "non-linearizable");
    let details = published["details"].to_string();
    assert!(
        details.contains("is Relaxed, so it does not synchronise"),
        "{details}"
    );
    let steps = published["interleaving"].to_string();
    assert!(steps.contains("passed-over"), "{steps}");
    let token = published["schedule"].as_str().unwrap();
    let replayed = copy.contest(&["replay", token]).status(1);
    assert!(
        replayed.stdout.contains("non-linearizable"),
        "{}",
        replayed.stdout
    );
    // Sequentially consistent executions show none of it.
    copy.contest(&[&JSON[..], &["--memory-model", "sc"]].concat())
        .status(0);
}

#[test]
fn orderings_that_are_strong_enough_are_clean() {
    let copy = Subject::copy("correct/weak_orderings");
    copy.contest(&JSON).status(0);
    copy.contest(&[&JSON[..], &["--memory-model", "rc11"]].concat())
        .status(0);
}
