//! Orderings that are too weak: found by generated tests under RC11, and only there.

use std::time::Duration;

use serde_json::Value;

use crate::support::{Run, Subject};

const JSON: [&str; 3] = ["--message-format", "json", "--no-emit"];

/// The first finding in the type whose name contains this.
fn first_in<'a>(findings: &'a [Value], name: &str) -> Option<&'a Value> {
    let mut findings = findings.iter();
    findings.find(|finding| finding["type"].as_str().unwrap().contains(name))
}

/// Explores a subject until something is found in each of these types.
#[track_caller]
fn run_until_all_have_one(copy: &Subject, names: &[&str]) -> Run {
    let run = copy.contest_until(&JSON, Duration::ZERO, |findings| {
        let mut names = names.iter();
        names.all(|name| first_in(findings, name).is_some())
    });
    let run = run.status(1);
    for name in names {
        let found = first_in(&run.with_reason("finding"), name).is_some();
        assert!(found, "nothing in {name}: {}", run.stderr);
    }
    run
}

/// Explores a subject for this long, and finds nothing.
#[track_caller]
fn is_clean(copy: &Subject, budget: &str, options: &[&str]) {
    let run = copy.contest(&[&JSON[..], &["--budget", budget], options].concat());
    let executions = run.status(0).summary()["executions"].as_u64();
    assert!(executions > Some(1_000), "{executions:?}");
}

#[test]
fn orderings_that_are_too_weak_are_found_explained_and_replayed() {
    let copy = Subject::copy("faulty/weak_orderings");
    let run = run_until_all_have_one(&copy, &["Left", "North", "Published"]);
    let findings = run.with_reason("finding");
    let of = |name: &str| first_in(&findings, name).unwrap();
    assert_eq!(of("Left")["kind"], "data-race");
    // Its fence is an instruction.
    assert_eq!(of("North")["kind"], "data-race");
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
    is_clean(&copy, "8s", &["--memory-model", "sc"]);
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn orderings_that_are_strong_enough_are_clean() {
    let copy = Subject::copy("correct/weak_orderings");
    is_clean(&copy, "8s", &[]);
    is_clean(&copy, "8s", &["--memory-model", "rc11"]);
}

/// What `orderings` says of the type whose name contains this.
fn advice(copy: &Subject, name: &str, status: i32) -> Value {
    let run = copy
        .contest(&["orderings", name, "--message-format", "json"])
        .status(status);
    let found = run.with_reason("orderings");
    assert_eq!(found.len(), 1, "{}", run.stderr);
    found[0].clone()
}

/// The changes of each set, or a list of them, as `line of the source: change`.
fn changes(copy: &Subject, list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap().iter();
    let text = |change: &Value| {
        let location = change["location"].as_str().unwrap();
        let mut parts = location.split(':');
        let source = copy.read(parts.next().unwrap());
        let line: usize = parts.next().unwrap().parse().unwrap();
        let code = source.lines().nth(line - 1).unwrap().trim();
        let what = match change["fence_before"].as_str() {
            Some(fence) => format!("fence({fence})"),
            None => change["new_order"].as_str().unwrap().to_owned(),
        };
        format!("{code} {what}")
    };
    let set = |set: &Value| match set["changes"].as_array() {
        Some(changes) => changes.iter().map(text).collect::<Vec<_>>().join(" and "),
        None => text(set),
    };
    list.map(set).collect()
}

#[test]
fn the_ordering_that_is_too_weak_is_named() {
    let copy = Subject::copy("faulty/weak_orderings");
    let published = advice(&copy, "Published", 1);
    assert_eq!(published["result"], "too-weak");
    assert_eq!(published["smallest"], true);
    let store = "self.ready.store(true, Ordering::Relaxed);";
    assert_eq!(
        changes(&copy, &published["sets"]),
        [format!("{store} Release")]
    );
    assert_eq!(
        changes(&copy, &published["sets_with_fences"]),
        [format!("{store} fence(Release)")]
    );
    let pair = advice(&copy, "Pair", 1);
    let load = "let after = self.sequence.load(Ordering::Relaxed);";
    assert_eq!(
        changes(&copy, &pair["sets_with_fences"]),
        [format!("{load} fence(Acquire)")]
    );
}

#[test]
fn orderings_that_may_be_weaker_are_those_of_the_published_version() {
    let copy = Subject::copy("correct/strong_orderings");
    let published = advice(&copy, "Published", 0);
    assert_eq!(published["result"], "clean");
    assert_eq!(
        changes(&copy, &published["weaker"]),
        [
            "self.value.store(7, Ordering::SeqCst); Relaxed",
            "self.ready.store(true, Ordering::SeqCst); Release",
            "let ready = self.ready.load(Ordering::SeqCst); Acquire",
            "ready.then(|| self.value.load(Ordering::SeqCst)) Relaxed",
        ]
    );
    assert_eq!(published["complete"], published["tests"]);
    assert!(published["tests"].as_u64().unwrap() > 100);
    // What is as weak as it can be stays.
    let copy = Subject::copy("correct/weak_orderings");
    let published = advice(&copy, "Published", 0);
    assert_eq!(changes(&copy, &published["weaker"]), [""; 0]);
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn known_structures_with_one_ordering_too_weak_are_found_and_their_twins_are_clean() {
    let names = [
        "Producer",
        "First",
        "TicketLock",
        "Worker",
        "Reader",
        "Section",
        "Slot",
    ];
    run_until_all_have_one(&Subject::copy("faulty/weak_structures"), &names);
    is_clean(&Subject::copy("correct/weak_structures"), "12s", &[]);
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn mutual_exclusion_by_loads_and_stores_is_broken_by_one_weak_ordering() {
    let faulty = Subject::copy("faulty/mutual_exclusion");
    run_until_all_have_one(&faulty, &["Dekker", "Peterson", "Bakery"]);
    is_clean(&Subject::copy("correct/mutual_exclusion"), "8s", &[]);
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn the_ordering_that_breaks_mutual_exclusion_is_named() {
    let copy = Subject::copy("faulty/mutual_exclusion");
    let bakery = advice(&copy, "BakeryLeft", 1);
    assert_eq!(bakery["result"], "too-weak");
    assert_eq!(bakery["smallest"], true);
    let store = "self.numbers[own].store(mine, Ordering::Release);";
    assert_eq!(changes(&copy, &bakery["sets"]), [format!("{store} SeqCst")]);
}
