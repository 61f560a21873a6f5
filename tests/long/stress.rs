//! Strategy `stress`: tests on threads of the system. What these show is reported with a schedule that was looked for,
//! or is a line of the summary; a test that hangs or crashes there stops nothing.

use std::time::Duration;

use serde_json::Value;

use crate::support::{Run, Subject};

/// What the types have in common: a window that is wide for real threads, and no step for the scheduler.
const WINDOW: &str = "
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::Mutex;

fn window() {
    for step in 0..50_000_u32 {
        std::hint::black_box(step);
    }
}
";

/// An update that is lost.
const TALLY: &str = "
#[derive(Default)]
pub struct Tally(AtomicU32);

impl Tally {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&self) {
        let before = self.0.load(SeqCst);
        window();
        self.0.store(before + 1, SeqCst);
    }

    pub fn get(&self) -> u32 {
        self.0.load(SeqCst)
    }
}
";

/// Two locks in both orders.
const LOCKS: &str = "
#[derive(Default)]
pub struct Locks(Mutex<u32>, Mutex<u32>);

impl Locks {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn up(&self) {
        let mut first = self.0.lock().unwrap();
        window();
        *first += *self.1.lock().unwrap();
    }

    pub fn down(&self) {
        let mut second = self.1.lock().unwrap();
        window();
        *second += *self.0.lock().unwrap();
    }
}
";

/// Ends the process if a second call comes while one is inside.
const FUSE: &str = "
#[derive(Default)]
pub struct Fuse(AtomicU32);

impl Fuse {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn burn(&self) {
        if self.0.fetch_add(1, SeqCst) > 0 {
            std::process::abort();
        }
        window();
        self.0.fetch_sub(1, SeqCst);
    }
}
";

/// Shows on real threads only: executions under control have one.
const HEADS: &str = "
#[derive(Default)]
pub struct Heads(AtomicU32);

impl Heads {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn heads(&self) -> usize {
        let status = std::fs::read_to_string(\"/proc/self/status\").unwrap();
        let threads = status.lines().find_map(|line| line.strip_prefix(\"Threads:\"));
        threads.unwrap().trim().parse().unwrap()
    }
}
";

const OPTIONS: [&str; 8] = [
    "--generator",
    "random",
    "--strategy",
    "stress",
    "--message-format",
    "json",
    "-j",
    "1",
];

fn windows(types: &[&str]) -> Subject {
    let manifest = "[package]\nname = \"windows\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let source = [&[WINDOW], types].concat().concat();
    let files = [("Cargo.toml", manifest), ("src/lib.rs", &source)];
    Subject::with("windows", &files)
}

fn stressed(types: &[&str], budget: &str) -> Run {
    windows(types).contest(&[&OPTIONS[..], &["--budget", budget]].concat())
}

fn pairs(found: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |&(name, kind): &(&str, &str)| (name.to_owned(), kind.to_owned());
    found.iter().map(owned).collect()
}

fn reasons(of: &Value) -> Vec<String> {
    let list = of.as_array().unwrap().iter();
    list.map(|it| it["why"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn what_real_threads_show_is_reported_with_a_schedule() {
    // A while longer, for there are no others.
    let copy = windows(&[TALLY, LOCKS, FUSE]);
    let longer = Duration::from_secs(1);
    let run = copy.contest_until(&OPTIONS, longer, |findings| findings.len() == 3);
    let run = run.status(1);
    let found: Vec<_> = run.types_and_kinds().into_iter().collect();
    let expected = [
        ("windows::Fuse", "abort"),
        ("windows::Locks", "deadlock"),
        ("windows::Tally", "non-linearizable"),
    ];
    assert_eq!(found, pairs(&expected), "{}", run.stdout);
    for finding in run.with_reason("finding") {
        let first = finding["details"].to_string();
        assert!(
            first.contains("seen first on real threads, in run "),
            "{first}"
        );
    }
}

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn what_is_right_is_run_on_real_threads_and_nothing_is_found() {
    let tally = TALLY
        .replace("let before = self.0.load(SeqCst);", "")
        .replace(
            "self.0.store(before + 1, SeqCst);",
            "self.0.fetch_add(1, SeqCst);",
        );
    let locks = LOCKS.replace(
        "self.1.lock().unwrap();\n        window",
        "self.0.lock().unwrap();\n        window",
    );
    let locks = locks.replace("*second += *self.0", "*second += *self.1");
    let run = stressed(&[&tally, &locks], "8s").status(0);
    let summary = run.summary();
    assert_eq!(summary["findings"], 0, "{}", run.stdout);
    let coverage = &summary["coverage"];
    assert_eq!(
        reasons(&coverage["tests_cut"]),
        ["run on real threads, under no schedule"],
        "{summary}"
    );
    assert!(summary["executions"].as_u64() > Some(300), "{summary}");
}

#[test]
fn what_no_schedule_shows_is_no_finding_and_is_not_hidden() {
    let run = stressed(&[HEADS], "4s").status(0);
    let summary = run.summary();
    assert_eq!(summary["findings"], 0, "{}", run.stdout);
    let skipped = reasons(&summary["coverage"]["tests_skipped"]);
    let seen =
        "looked like a bug on real threads, in 1 of 1 runs, and was found under no schedule: ";
    assert!(
        skipped
            .iter()
            .any(|why| why.starts_with(seen) && why.contains("heads()")),
        "{skipped:?}"
    );
}
