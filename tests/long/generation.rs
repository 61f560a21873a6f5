//! What generating tests says in the summary.

use serde_json::Value;

use crate::support::Subject;

fn count(list: &Value, of: &str) -> u64 {
    let mut entries = list.as_array().unwrap().iter();
    let found = entries.find(|entry| entry["why"] == of);
    found.map_or(0, |entry| entry["count"].as_u64().unwrap())
}

/// A counter of two states in a block of its own.
const SWITCH: &str = "
use std::sync::Mutex;

pub struct Switch(Mutex<Box<bool>>);

impl Switch {
    pub fn new() -> Self {
        Self(Mutex::new(Box::new(false)))
    }

    pub fn on(&self) -> bool {
        std::mem::replace(&mut **self.0.lock().unwrap(), true)
    }

    pub fn off(&self) -> bool {
        std::mem::replace(&mut **self.0.lock().unwrap(), false)
    }

    pub fn is_on(&self) -> bool {
        **self.0.lock().unwrap()
    }
}
";

#[test]
fn sequences_on_a_type_without_debug_are_pruned_by_what_they_leave_in_memory() {
    let manifest = "[package]\nname = \"switch\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let copy = Subject::with(
        "switch",
        &[("Cargo.toml", manifest), ("src/lib.rs", SWITCH)],
    );
    let arguments = ["--message-format", "json", "--no-emit", "--budget", "500ms"];
    let summary = copy.contest(&arguments).status(0).summary();
    let coverage = &summary["coverage"];
    let states = &coverage["states"];
    assert!(count(states, "recognised in memory") > 0, "{summary}");
    assert_eq!(count(states, "shown by `Debug`"), 0, "{summary}");
    assert!(count(&coverage["pruned"], "d2") > 0, "{summary}");
}

#[test]
fn calls_that_differ_only_in_the_fields_they_access_behind_one_lock_are_distinguished() {
    let copy = Subject::copy("correct/one_lock");
    let json = ["--message-format", "json", "--no-emit", "--budget", "3s"];
    let summary = |more: &[&str]| {
        let arguments: Vec<&str> = json.iter().chain(more).copied().collect();
        copy.contest(&arguments).status(0).summary()
    };
    let traces = |summary: &Value| {
        let found = &summary["coverage"]["sequential_coverage"];
        found.as_u64().unwrap()
    };
    // All calls take the lock at one line.
    let without = summary(&["--no-memory"]);
    assert_eq!(traces(&without), 1, "{without}");
    // Push: full, wraps, else. Pop: empty, else. Turns.
    let with = summary(&[]);
    assert_eq!(traces(&with), 6, "{with}");
    let of_type = &with["coverage"]["access_patterns"]["types"][0];
    let fields = of_type["fields"].as_array().unwrap();
    let len = fields.iter().find(|met| met["field"] == "Ring.inner.len");
    let len = len.unwrap_or_else(|| panic!("{of_type}"));
    assert!(len["patterns"].as_u64().unwrap() > 0, "{len}");
    let places = len["places"].as_array().unwrap();
    let starts = |place: &Value, with: &str| place.as_str().unwrap().starts_with(with);
    for (access, text) in [("write", "self.len += 1"), ("read", "self.len == 0")] {
        let source = copy.read("src/lib.rs");
        let line = source.lines().position(|line| line.contains(text)).unwrap() + 1;
        let place = format!("{access} at src/lib.rs:{line}:");
        assert!(places.iter().any(|it| starts(it, &place)), "{place}: {len}");
    }
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn that_a_caller_drops_what_it_has_lent_to_a_call_is_no_part_of_the_call() {
    let cache = |subject: &str| {
        let arguments = [
            "Cache",
            "--message-format",
            "json",
            "--no-emit",
            "--fail-fast",
        ];
        Subject::copy(subject).contest(&[&arguments[..], &["--budget", "3s"]].concat())
    };
    let found = cache("faulty/flaky_tests").status(1);
    assert_eq!(found.with_reason("finding")[0]["kind"], "panic");
    let clean = cache("correct/flaky_tests").status(0);
    assert!(clean.summary()["executions"].as_u64() > Some(1_000));
}

const OFFICE: &str = r#"//! Clerks who number documents in one book.
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

#[derive(Default)]
pub struct Office(Arc<AtomicU32>);

/// What the office gives out.
pub struct Clerk(Arc<AtomicU32>);

impl Office {
    pub fn new() -> Self { Self::default() }
    pub async fn hire(&self) -> Clerk { Clerk(Arc::clone(&self.0)) }
    pub fn find(&self, number: u32) -> Option<Clerk> { (number > 0).then(|| Clerk(Arc::clone(&self.0))) }
    pub fn call(&self, number: u32) -> Result<Clerk, u32> { self.find(number).ok_or(number) }
}

impl Clerk {
    /// The next number; two clerks at once may give the same one.
    pub async fn stamp(&self) -> u32 {
        let seen = self.0.load(SeqCst);
        self.0.store(seen + 1, SeqCst);
        seen
    }
}
"#;

#[test]
fn an_async_method_of_what_a_call_returns_is_awaited_in_the_driver_and_in_emitted_tests() {
    let copy = Subject::empty();
    copy.write("src/lib.rs", OFFICE);
    copy.write(
        "Cargo.toml",
        "[package]\nname = \"office\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    let options = ["--message-format", "json", "--budget", "5s", "--emit"];
    let run = copy.contest(&options).status(1);
    let subject = &run.with_reason("subject")[0];
    assert_eq!(
        subject["left_out"].as_array().map(Vec::len),
        Some(0),
        "{subject}"
    );
    let findings = run.with_reason("finding");
    let calls: String = findings
        .iter()
        .map(|it| it["threads"].to_string())
        .collect();
    for chain in ["a.hire().await", "a.find(1)?", "a.call(1).ok()?"] {
        assert!(
            calls.contains(&format!("{chain}.stamp().await")),
            "{chain}: {calls}"
        );
    }
    copy.cargo(&["test", "--no-run"]).status(0);
}
