//! Fields grouped into atomic sets, by the manifest and by arguments: what is required of `pta`, what counts as
//! breaking the atomicity of a call, and wrong names.

use serde_json::Value;

use crate::support::Subject;

/// Each call accesses each field once, so that every order that breaks atomicity is one over two fields.
const PAIR: &str = "
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

#[derive(Default)]
pub struct Pair {
    low: AtomicU32,
    high: AtomicU32,
}

impl Pair {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn set(&self, to: u32) {
        self.low.store(to, SeqCst);
        self.high.store(to, SeqCst);
    }

    pub fn get(&self) -> u32 {
        self.low.load(SeqCst) + self.high.load(SeqCst)
    }
}
";

fn subject(metadata: &str) -> Subject {
    let copy = Subject::empty();
    let manifest = "[package]\nname = \"pair\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    copy.write("Cargo.toml", &format!("{manifest}{metadata}"));
    copy.write("src/lib.rs", PAIR);
    copy
}

/// Requirements, and orders that are none because of the sets.
fn required(summary: &Value) -> (u64, u64) {
    let counts = summary["coverage"]["requirements"].as_array().unwrap();
    let of = |why: &str| {
        let count = counts.iter().find(|count| count["why"] == why);
        count.map_or(0, |count| count["count"].as_u64().unwrap())
    };
    (
        of("requirements"),
        of("orders of fields that are in no atomic set together"),
    )
}

const ARGUMENTS: [&str; 7] = [
    "--strategy",
    "pta14",
    "--message-format",
    "json",
    "--no-emit",
    "--budget",
    "400ms",
];

#[test]
fn fields_in_different_sets_make_no_requirement_together() {
    let copy = subject("");
    let run = |more: &[&str]| copy.contest(&[&ARGUMENTS[..], more].concat()).summary();
    let one = run(&[]);
    let (all, apart) = required(&one);
    assert!(all > 0 && apart == 0, "{one}");
    let same = run(&["--atomic-set", "Pair.low,Pair.high"]);
    assert!(required(&same).0 > 0 && required(&same).1 == 0, "{same}");
    let two = run(&["--atomic-set", "pair::Pair.low"]);
    assert!(required(&two).0 == 0 && required(&two).1 > 0, "{two}");
}

#[test]
fn fields_in_different_sets_make_no_pattern_that_breaks_atomicity() {
    let copy = subject("");
    let run = |more: &[&str]| {
        let arguments = ["--message-format", "json", "--no-emit", "--budget", "300ms"];
        let summary = copy.contest(&[&arguments[..], more].concat()).summary();
        let patterns = &summary["coverage"]["access_patterns"];
        let of = |name: &str| patterns[name].as_u64().unwrap();
        (of("atomic_set_14"), of("in_no_atomic_set_together"))
    };
    let (all, apart) = run(&[]);
    assert!(all > 0 && apart == 0, "{all} {apart}");
    assert_eq!(run(&["--atomic-set", "Pair.high"]), (0, all));
}

#[test]
fn the_manifest_groups_fields_and_the_command_line_wins() {
    let copy =
        subject("\n[package.metadata.contest]\natomic-sets = [[\"Pair.low\"], [\"Pair.high\"]]\n");
    let summary = copy.contest(&ARGUMENTS).summary();
    assert_eq!(required(&summary).0, 0, "{summary}");
    let arguments = [&ARGUMENTS[..], &["--atomic-set", "Pair.low,Pair.high"]].concat();
    let summary = copy.contest(&arguments).summary();
    assert!(required(&summary).0 > 0, "{summary}");
}

#[test]
fn a_wrong_name_is_one_error_that_lists_the_fields() {
    let says = |copy: &Subject, arguments: &[&str], parts: &[&str]| {
        let run = copy.contest(arguments).status(2);
        let errors = run.stderr.lines().filter(|it| it.starts_with("error:"));
        assert_eq!(errors.count(), 1, "{}", run.stderr);
        for part in parts {
            assert!(run.stderr.contains(part), "no `{part}` in {}", run.stderr);
        }
    };
    let copy = subject("");
    let known = ["Pair.low", "Pair.high"];
    says(
        &copy,
        &["--atomic-set", "Pair.lwo"],
        &[&known[..], &["--atomic-set", "`Pair.lwo`"]].concat(),
    );
    says(&copy, &["--atomic-set", "low"], &["`low`", "Type.field"]);
    let copy = subject("\n[package.metadata.contest]\natomic-sets = [[\"Piar.low\"]]\n");
    says(
        &copy,
        &[],
        &[&known[..], &["`atomic-sets`", "Cargo.toml", "`Piar.low`"]].concat(),
    );
}
