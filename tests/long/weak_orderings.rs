//! Orderings that are too weak: found by generated tests under RC11, and only there.

use serde_json::Value;

use crate::support::Subject;

const JSON: [&str; 5] = ["--message-format", "json", "--budget", "8s", "--no-emit"];

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
fn known_structures_with_one_ordering_too_weak_are_found_and_their_twins_are_clean() {
    let options = ["--message-format", "json", "--budget", "12s", "--no-emit"];
    let copy = Subject::copy("faulty/weak_structures");
    let run = copy.contest(&options).status(1);
    let findings = run.with_reason("finding");
    for name in [
        "Producer",
        "First",
        "TicketLock",
        "Worker",
        "Reader",
        "Section",
        "Slot",
    ] {
        let found = findings
            .iter()
            .any(|finding| finding["type"].as_str().unwrap().contains(name));
        assert!(found, "nothing in {name}: {}", run.stderr);
    }
    Subject::copy("correct/weak_structures")
        .contest(&options)
        .status(0);
}

#[test]
fn mutual_exclusion_by_loads_and_stores_is_broken_by_one_weak_ordering() {
    let options = ["--message-format", "json", "--budget", "8s", "--no-emit"];
    let copy = Subject::copy("faulty/mutual_exclusion");
    let run = copy.contest(&options).status(1);
    let findings = run.with_reason("finding");
    for name in ["Dekker", "Peterson", "Bakery"] {
        let found = findings
            .iter()
            .any(|finding| finding["type"].as_str().unwrap().contains(name));
        assert!(found, "nothing in {name}: {}", run.stderr);
    }
    Subject::copy("correct/mutual_exclusion")
        .contest(&options)
        .status(0);
}

#[test]
fn the_ordering_that_breaks_mutual_exclusion_is_named() {
    let copy = Subject::copy("faulty/mutual_exclusion");
    let bakery = advice(&copy, "BakeryLeft", 1);
    assert_eq!(bakery["result"], "too-weak");
    assert_eq!(bakery["smallest"], true);
    let store = "self.numbers[own].store(mine, Ordering::Release);";
    assert_eq!(changes(&copy, &bakery["sets"]), [format!("{store} SeqCst")]);
}
