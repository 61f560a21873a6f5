//! Memory accesses of unmodified crates: races are found, between the right lines, and ordered accesses are no races.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;

use crate::support::{Run, Subject};

/// How much longer a run goes on where nothing else may be found.
const LONGER: Duration = Duration::from_secs(1);

/// For each type, the lines of the source that end in this mark and its name.
fn marked_lines(source: &str, mark: &str) -> BTreeMap<String, BTreeSet<usize>> {
    let mut lines: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (number, line) in source.lines().enumerate() {
        if let Some((_, name)) = line.split_once(mark) {
            lines.entry(name.to_owned()).or_default().insert(number + 1);
        }
    }
    lines
}

/// A run that watches memory until what it has found is enough, and a while longer.
#[track_caller]
fn watched(copy: &Subject, enough: impl Fn(&[Value]) -> bool) -> Run {
    let json = ["--message-format", "json", "--no-emit"];
    let run = copy.contest_until(&json, LONGER, enough).status(1);
    let summary = run.summary();
    let watched = summary["watched_executions"].as_u64().unwrap();
    assert!(watched > 0 && watched < summary["executions"].as_u64().unwrap());
    run
}

#[test]
fn the_classic_races_are_found_between_their_two_lines_and_replay() {
    let copy = Subject::copy("faulty/racy_cells");
    let expected = marked_lines(&copy.read("src/lib.rs"), "// RACE ");
    assert_eq!(expected.len(), 5, "{expected:?}");
    let run = watched(&copy, |findings| findings.len() == 5);
    assert_eq!(run.kinds(), ["data-race"], "{}", run.stderr);
    assert_eq!(run.with_reason("finding").len(), 5, "{}", run.stderr);
    let mut found = BTreeMap::new();
    for finding in run.with_reason("finding") {
        let name = finding["type"].as_str().unwrap();
        let name = name.rsplit("::").next().unwrap().to_owned();
        let lines: BTreeSet<usize> = finding["locations"]
            .as_array()
            .unwrap()
            .iter()
            .take(expected[&name].len())
            .map(|location| {
                let location = location.as_str().unwrap();
                assert!(location.starts_with("src/lib.rs:"), "{location}");
                location.split(':').nth(1).unwrap().parse().unwrap()
            })
            .collect();
        let message = finding["message"].as_str().unwrap();
        assert!(message.contains("a."), "the calls are named: {message}");
        let replayed = copy
            .contest(&["replay", finding["schedule"].as_str().unwrap()])
            .status(1);
        assert!(replayed.stdout.contains("data-race"), "{}", replayed.stdout);
        found.insert(name, lines);
    }
    assert_eq!(found, expected);
}

#[test]
fn accesses_that_anything_orders_are_no_races() {
    for arguments in [&["--memory"][..], &[], &["--no-memory"]] {
        let copy = Subject::copy("correct/ordered_cells");
        let run = copy
            .contest(
                &[
                    &["--message-format", "json", "--budget", "1500ms"],
                    arguments,
                ]
                .concat(),
            )
            .status(0);
        let summary = run.summary();
        assert_eq!(summary["findings"], 0);
        let watched = summary["watched_executions"].as_u64().unwrap();
        assert_eq!(watched == 0, arguments == ["--no-memory"], "{summary}");
        assert!(summary["executions"].as_u64().unwrap() > 1_000, "{summary}");
    }
}

#[test]
fn boxes_that_are_freed_too_early_or_twice_are_found() {
    let copy = Subject::copy("faulty/freed_too_early");
    let source = copy.read("src/lib.rs");
    let line = |mark: &str| {
        let line = source.lines().position(|line| line.ends_with(mark));
        format!("src/lib.rs:{}:", line.unwrap() + 1)
    };
    let bugs = [
        ("Replaced", "use-after-free", &["// USE", "// FREE"][..]),
        ("Emptied", "double-free", &["// FREE TWICE"]),
        ("Visits", "out-of-bounds", &["// OUTSIDE"]),
    ];
    let found = |findings: &[Value], name: &str, kind: &str| -> Option<Value> {
        let mut findings = findings.iter();
        let is_it =
            |it: &&Value| it["kind"] == kind && it["type"].as_str().unwrap().ends_with(name);
        findings.find(is_it).cloned()
    };
    let run = watched(&copy, |findings| {
        let mut bugs = bugs.iter();
        bugs.all(|(name, kind, _)| found(findings, name, kind).is_some())
    });
    for (name, kind, places) in bugs {
        let finding = found(&run.with_reason("finding"), name, kind)
            .unwrap_or_else(|| panic!("no {kind} in {name}: {}", run.stderr));
        let locations = finding["locations"].to_string();
        for place in places {
            assert!(locations.contains(&line(place)), "{place}: {locations}");
        }
    }
}

#[test]
fn leaked_boxes_are_found_without_watching_and_replay() {
    let copy = Subject::copy("faulty/freed_too_early");
    let expected = marked_lines(&copy.read("src/lib.rs"), "// LEAK ");
    assert_eq!(expected.len(), 2, "{expected:?}");
    let options = ["--no-memory", "--message-format", "json", "--no-emit"];
    let run = copy.contest_until(&options, LONGER, |findings| {
        let leaks = findings.iter().filter(|it| it["kind"] == "leak");
        leaks.count() == expected.len()
    });
    let run = run.status(1);
    assert_eq!(run.summary()["watched_executions"], 0);
    let mut found = BTreeMap::new();
    for finding in run.with_reason("finding") {
        if finding["kind"] != "leak" {
            continue;
        }
        let name = finding["type"].as_str().unwrap().rsplit("::").next();
        let location = finding["locations"][0].as_str().unwrap();
        let line: usize = location.split(':').nth(1).unwrap().parse().unwrap();
        found.insert(name.unwrap().to_owned(), BTreeSet::from([line]));
        let replayed = copy
            .contest(&["replay", finding["schedule"].as_str().unwrap()])
            .status(1);
        assert!(
            replayed.stdout.contains("error[leak]"),
            "{}",
            replayed.stdout
        );
        assert!(replayed.stdout.contains(location), "{}", replayed.stdout);
    }
    assert_eq!(found, expected, "{}", run.stderr);
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn a_bound_that_an_unsafe_impl_forgets_is_shown_by_a_race() {
    let copy = Subject::copy("faulty/missing_bound");
    let listed = copy.contest(&["list"]).status(0).stdout;
    for subject in ["Shelf<Unshared>", "Spin<Unshared>", "Library<u32>"] {
        assert!(listed.contains(subject), "{subject}: {listed}");
    }
    assert!(!listed.contains("Library<Unshared>"), "{listed}");
    let run = copy.contest_until(&["--message-format", "json"], LONGER, |findings| {
        !findings.is_empty()
    });
    let run = run.status(1);
    let findings = run.with_reason("finding");
    assert_eq!(findings.len(), 1, "{}", run.stderr);
    let finding = &findings[0];
    assert_eq!(finding["kind"], "data-race");
    assert_eq!(finding["type"], "faulty_missing_bound::Shelf<Unshared>");
    let source = copy.read("src/lib.rs");
    let used = source.lines().position(|line| line.ends_with("// USE"));
    let line = format!("src/lib.rs:{}:", used.unwrap() + 1);
    let location = finding["locations"][0].as_str().unwrap();
    assert!(location.starts_with(&line), "{location}");
    // The type, too, is selected by its name alone.
    let shown = copy.contest(&["Shelf", "--fail-fast"]).status(1);
    assert!(
        shown
            .stdout
            .contains("its `unsafe impl Sync` must ask for `Sync`"),
        "{}",
        shown.stdout
    );
    // The line to change.
    let impl_line = "   14 | unsafe impl<T: Send> Sync for Shelf<T> {}";
    assert!(shown.stdout.contains(impl_line), "{}", shown.stdout);
    let token = finding["schedule"].as_str().unwrap();
    copy.contest(&["replay", token]).status(1);
    let here = format!("data-race:{}", line.trim_end_matches(':'));
    let allowed = copy
        .contest(&["Shelf", "--budget", "1s", "--no-emit", "--allow", &here])
        .status(0);
    assert!(
        allowed.stdout.contains(&format!("allowed: {here}")),
        "{}",
        allowed.stdout
    );
    // What is written for plain `cargo test` compiles without the engine.
    copy.contest(&["Shelf", "--budget", "1s", "--emit"])
        .status(1);
    copy.contest(&["test"]).status(1);
    copy.cargo(&["test"]).status(0);
    let fixed = source.replace(
        "unsafe impl<T: Send> Sync for Shelf<T>",
        "unsafe impl<T: Send + Sync> Sync for Shelf<T>",
    );
    copy.write("src/lib.rs", &fixed);
    std::fs::remove_dir_all(copy.directory.join("tests")).unwrap();
    copy.contest(&["--budget", "2s"]).status(0);
}

#[test]
fn what_shows_only_with_another_type_argument_is_found() {
    let copy = Subject::copy("faulty/drops_twice");
    let options = ["--message-format", "json", "--emit"];
    let run = copy.contest_until(&options, LONGER, |findings| !findings.is_empty());
    let run = run.status(1);
    let findings = run.with_reason("finding");
    assert_eq!(findings.len(), 1, "{}", run.stderr);
    let ty = findings[0]["type"].as_str().unwrap();
    assert_eq!(ty, "faulty_drops_twice::Slot<std::string::String>");
    let token = findings[0]["schedule"].as_str().unwrap();
    copy.contest(&["replay", token]).status(1);
    copy.cargo(&["test", "--no-run"]).status(0);
    let fixed = copy.read("src/lib.rs").replacen(
        "self.full.load(Ordering::SeqCst)",
        "self.full.swap(false, Ordering::SeqCst)",
        1,
    );
    copy.write("src/lib.rs", &fixed);
    std::fs::remove_dir_all(copy.directory.join("tests")).unwrap();
    copy.contest(&["--budget", "1s"]).status(0);
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn bounds_that_impls_of_what_moves_forget_are_shown() {
    let copy = Subject::copy("faulty/moved_without_bound");
    let options = ["--message-format", "json", "--emit"];
    let longer = Duration::from_secs(2);
    let run = copy.contest_until(&options, longer, |findings| findings.len() == 4);
    let run = run.status(1);
    let mut found: Vec<String> = run
        .with_reason("finding")
        .iter()
        .map(|it| {
            let ty = it["type"].as_str().unwrap();
            let own = ty.rsplit("::").next().unwrap();
            let own = own.split('<').next().unwrap();
            format!("{} {own}", it["kind"].as_str().unwrap())
        })
        .collect();
    found.sort();
    let expected = [
        "data-race Guard",
        "data-race Handle",
        "wrong-thread Emptying",
        "wrong-thread Owned",
    ];
    assert_eq!(found, expected, "{}{}", run.stdout, run.stderr);
    for finding in run.with_reason("finding") {
        let token = finding["schedule"].as_str().unwrap();
        copy.contest(&["replay", token]).status(1);
    }
    // What is written for plain `cargo test` compiles.
    copy.cargo(&["test", "--no-run"]).status(0);
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn bounds_that_impls_forget_of_closures_and_of_values_of_any_type_are_shown() {
    let copy = Subject::copy("faulty/captured_without_bound");
    let options = ["--message-format", "json", "--emit"];
    let types = |findings: &[serde_json::Value]| {
        let own = |it: &serde_json::Value| {
            let ty = it["type"].as_str().unwrap();
            let ty = ty.split('<').next().unwrap();
            ty.rsplit("::").next().unwrap().to_owned()
        };
        findings.iter().map(own).collect::<BTreeSet<String>>()
    };
    let run = copy.contest_until(&options, Duration::ZERO, |findings| {
        types(findings).len() == 4
    });
    let run = run.status(1);
    assert!(run.kinds().iter().all(|kind| kind == "wrong-thread"));
    let findings = run.with_reason("finding");
    let expected = ["Drawer", "Late", "Reader", "Tasks"].map(str::to_owned);
    assert_eq!(types(&findings), BTreeSet::from(expected), "{}", run.stderr);
    for finding in &findings {
        let token = finding["schedule"].as_str().unwrap();
        copy.contest(&["replay", token]).status(1);
    }
    // What is written for plain `cargo test` compiles.
    copy.cargo(&["test", "--no-run"]).status(0);
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn a_bound_that_lets_a_value_change_threads_is_shown_by_its_drop() {
    let copy = Subject::copy("faulty/missing_send_bound");
    let listed = copy.contest(&["list"]).status(0).stdout;
    for subject in ["Bag<Unsent>", "Window<Unsent>", "Bin<Unshared>"] {
        assert!(listed.contains(subject), "{subject}: {listed}");
    }
    assert!(!listed.contains("Bin<Unsent>"), "{listed}");
    let run = copy.contest_until(&["--message-format", "json"], LONGER, |findings| {
        !findings.is_empty()
    });
    let run = run.status(1);
    let findings = run.with_reason("finding");
    assert_eq!(findings.len(), 1, "{}", run.stderr);
    let finding = &findings[0];
    assert_eq!(finding["kind"], "wrong-thread");
    assert_eq!(finding["type"], "faulty_missing_send_bound::Bag<Unsent>");
    let source = copy.read("src/lib.rs");
    let dropped = source.lines().position(|line| line.ends_with("// DROP"));
    let line = format!("src/lib.rs:{}:", dropped.unwrap() + 1);
    let location = finding["locations"][0].as_str().unwrap();
    assert!(location.starts_with(&line), "{location}");
    let token = finding["schedule"].as_str().unwrap();
    let replayed = copy.contest(&["replay", token]).status(1).stdout;
    assert!(
        replayed.contains("`Unsent` is `Sync` and not `Send`"),
        "{replayed}"
    );
    // It takes no watching, and what is written for plain `cargo test` shows it too.
    let plain = ["Bag", "--no-memory", "--fail-fast", "--emit"];
    let shown = copy.contest(&plain).status(1).stdout;
    assert!(shown.contains("error[wrong-thread]"), "{shown}");
    copy.contest(&["test"]).status(1);
    let stressed = copy.cargo(&["test"]).status(101);
    assert!(
        stressed.stdout.contains("dropped on another thread"),
        "{}",
        stressed.stdout
    );
    let fixed = source.replace(
        "unsafe impl<T: Sync> Sync for Bag<T>",
        "unsafe impl<T: Send> Sync for Bag<T>",
    );
    copy.write("src/lib.rs", &fixed);
    std::fs::remove_dir_all(copy.directory.join("tests")).unwrap();
    copy.contest(&["--budget", "2s"]).status(0);
}
