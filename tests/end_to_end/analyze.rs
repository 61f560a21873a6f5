//! `cargo contest analyze`: text, JSON lines, drawings, exit status.

use crate::support::Subject;

#[test]
fn the_text_has_summaries_relations_and_what_can_be_left_out() {
    let run = Subject::copy("faulty/abba")
        .contest(&["analyze", "Accounts"])
        .status(0);
    for part in [
        "faulty_abba::Accounts  src/lib.rs:7  3 shared operations, 3 with exact summaries",
        "spend  src/lib.rs:19",
        "accesses  RW(self.checking.*)  RW(self.savings.*)",
        "under     self.checking  self.savings",
        "takes     (self.savings, self.checking)",
        "spend ∥ save | yes      | no       | yes ",
        "pairs: 6 before, 2 after taking out those that cannot fail",
    ] {
        assert!(run.stdout.contains(part), "no `{part}` in\n{}", run.stdout);
    }
    assert!(!run.stdout.contains('\u{1b}'), "colours without a terminal");
}

/// Two work trees may share a target directory; what is the same in both, cargo does not compile again.
#[test]
fn a_copy_elsewhere_with_the_same_target_directory_has_its_own_places() {
    let here = Subject::copy("faulty/abba");
    here.contest(&["analyze"]).status(0);
    let there = Subject::copy("faulty/abba");
    assert_ne!(here.directory, there.directory);
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(24);
    for path in there.tree().keys() {
        let file = std::fs::File::options()
            .write(true)
            .open(there.directory.join(path));
        file.unwrap().set_modified(long_ago).unwrap();
    }
    let run = there.contest(&["analyze", "--message-format", "json"]);
    let summaries = run.status(0).with_reason("method-summary");
    let places = summaries
        .iter()
        .flat_map(|it| it["summary"]["accesses"].as_array().unwrap());
    let places: Vec<&str> = places.map(|it| it["at"].as_str().unwrap()).collect();
    assert!(!places.is_empty());
    assert!(
        places.iter().all(|it| it.starts_with("src/lib.rs:")),
        "{places:?}"
    );
}

#[test]
fn json_lines_have_every_summary_and_every_pair() {
    let run = Subject::copy("faulty/buffered_input_stream")
        .contest(&["analyze", "--message-format", "json"])
        .status(0);
    let summaries = run.with_reason("method-summary");
    let mark = summaries
        .iter()
        .find(|it| it["operation"] == "mark")
        .unwrap();
    assert_eq!(mark["exact"], true);
    assert_eq!(mark["locks"][0], "self.monitor");
    assert_eq!(mark["accesses"].as_array().unwrap().len(), 3, "{mark}");
    assert!(
        mark["summary"]["accesses"][0]["at"]
            .as_str()
            .unwrap()
            .starts_with("src/lib.rs:"),
        "{mark}"
    );
    let pairs = run.with_reason("dependency");
    let shared = summaries.iter().filter(|it| it["shared"] == true).count();
    assert_eq!(pairs.len(), shared * (shared + 1) / 2);
    let of = |a: &str, b: &str| {
        pairs
            .iter()
            .find(|it| {
                (it["first"] == a && it["second"] == b) || (it["first"] == b && it["second"] == a)
            })
            .unwrap_or_else(|| panic!("no pair {a}, {b}"))
    };
    assert_eq!(of("close", "read")["dependent"], true);
    assert_eq!(of("close", "mark")["pruned"], true);
    let summary = run.summary();
    assert_eq!(summary["pairs"].as_u64().unwrap(), pairs.len() as u64);
    assert!(
        summary["pairs_kept"].as_u64() < summary["pairs"].as_u64(),
        "{summary}"
    );
    for count in [
        "types",
        "operations",
        "exact",
        "pairs_dependent",
        "files",
        "lines",
        "elapsed_ms",
    ] {
        assert!(summary[count].is_u64(), "{count}: {summary}");
    }
}

#[test]
fn a_drawing_is_for_graphviz() {
    let copy = Subject::copy("faulty/hashtable");
    copy.contest(&["analyze", "--graph", "graph.dot", "--quiet"])
        .status(0);
    let dot = copy.read("graph.dot");
    assert!(
        dot.starts_with("graph dependencies {") && dot.contains("label=\"equals\""),
        "{dot}"
    );
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
}

#[test]
fn wrong_arguments_are_reported_before_anything_is_built() {
    let copy = Subject::copy("faulty/abba");
    for (arguments, status, says) in [
        (vec!["analyze", "--graph", "graph.svg"], 2, ".dot or .gv"),
        (
            vec!["analyze", "--graph", "no/such/directory/graph.dot"],
            2,
            "cannot write",
        ),
        (vec!["analyze", "Missing"], 2, "`Missing`"),
        (vec!["analyze", "--budget", "3s"], 2, "--budget"),
    ] {
        let run = copy.contest(&arguments).status(status);
        assert!(run.stderr.contains(says), "{arguments:?}: {}", run.stderr);
        let errors = run.stderr.lines().filter(|it| it.starts_with("error:"));
        assert_eq!(errors.count(), 1, "{}", run.stderr);
    }
}

#[test]
fn what_cannot_be_tested_is_not_analysed() {
    Subject::copy("unsupported/nothing_shareable")
        .contest(&["analyze"])
        .status(4);
}

#[test]
fn a_run_leaves_out_pairs_that_are_proved_harmless_and_says_how_many() {
    let copy = Subject::copy("faulty/buffered_input_stream");
    let run = |more: &[&str]| {
        let arguments = ["--message-format", "json", "--budget", "2s", "--no-emit"];
        let run = copy.contest(&[&arguments[..], more].concat()).status(1);
        run.summary()
    };
    let summary = run(&[]);
    let pruned = summary["coverage"]["pairs_pruned"].as_u64().unwrap();
    assert!(pruned > 0, "{summary}");
    let listed = &summary["coverage"]["pruned"][0];
    assert_eq!(
        (&listed["why"], &listed["count"]),
        (&"pairs".into(), &pruned.into())
    );
    assert_eq!(
        summary["analysis"]["exact"],
        summary["analysis"]["operations"]
    );
    let summary = run(&["--no-prune", "pairs"]);
    assert_eq!(summary["coverage"]["pairs_pruned"], 0);
    assert_eq!(
        summary["coverage"]["pairs_run"],
        summary["coverage"]["pairs"]
    );
}
