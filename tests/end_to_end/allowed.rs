//! Findings that the user allows in one place: those of all other places are reported.

use serde_json::Value;

use crate::support::{Run, Subject};

const MANIFEST: &str =
    "[package]\nname = \"statistics\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n";

const LIBRARY: &str = r#"
//! Numbers about something, each wrong in a file of its own.

mod hits;
mod level;
mod units;

use std::sync::Mutex;
use std::sync::atomic::AtomicU32;

/// A number of hits and a level, each with an operation of its own.
#[derive(Debug, Default)]
pub struct Statistics { hits: AtomicU32, level: AtomicU32 }

impl Statistics {
    pub fn new() -> Self { Self::default() }
    pub fn hit(&self) -> u32 { hits::count(&self.hits) }
    pub fn raise(&self) -> u32 { level::raise(&self.level) }
}

/// The same, with one operation for both.
#[derive(Debug, Default)]
pub struct Both { hits: AtomicU32, level: AtomicU32 }

impl Both {
    pub fn new() -> Self { Self::default() }
    pub fn hit_and_raise(&self) -> (u32, u32) { (hits::count(&self.hits), level::raise(&self.level)) }
}

/// Units that move from here to there.
#[derive(Debug)]
pub struct Units { amounts: Mutex<(u32, u32)> }
"#;

const HITS: &str = r#"
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub fn count(hits: &AtomicU32) -> u32 {
    let before = hits.load(SeqCst);
    hits.store(before + 1, SeqCst);
    before + 1
}
"#;

const LEVEL: &str = r#"
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub fn raise(level: &AtomicU32) -> u32 {
    let before = level.load(SeqCst);
    level.store(before + 1, SeqCst);
    before + 1
}
"#;

/// A test of the crate that fails in some interleavings.
const TEST: &str = r#"
#[test]
fn two_hits() {
    let statistics = statistics::Statistics::new();
    std::thread::scope(|scope| {
        scope.spawn(|| statistics.hit());
        statistics.hit();
    });
    assert_eq!(statistics.hit(), 3);
}
"#;

const UNITS: &str = r#"
use std::future::poll_fn;
use std::sync::Mutex;
use std::task::Poll;

use crate::Units;

impl Units {
    pub fn new() -> Self { Self { amounts: Mutex::new((10, 0)) } }

    /// Moves a unit; dropped at the `await`, the unit is gone.
    pub async fn transfer(&self) {
        self.amounts.lock().unwrap().0 -= 1;
        let mut gave_way = false;
        poll_fn(|context| {
            if gave_way { return Poll::Ready(()); }
            gave_way = true;
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        self.amounts.lock().unwrap().1 += 1;
    }

    /// Both together; also wrong while something moves.
    pub fn total(&self) -> u32 {
        let amounts = self.amounts.lock().unwrap();
        amounts.0 + amounts.1
    }
}
"#;

fn subject() -> Subject {
    let files = [
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", LIBRARY),
        ("src/hits.rs", HITS),
        ("src/level.rs", LEVEL),
        ("src/units.rs", UNITS),
        ("tests/hits.rs", TEST),
    ];
    Subject::with("statistics", &files)
}

/// The run of one type with these kinds allowed.
fn run(of: &str, allowed: &[&str]) -> Run {
    let mut arguments = vec![of, "--budget", "3s", "--no-emit", "--message-format=json"];
    for it in allowed {
        arguments.extend(["--allow", it]);
    }
    subject().contest(&arguments)
}

/// The files that findings of this kind name.
fn files(run: &Run, kind: &str) -> Vec<String> {
    let of_kind = |it: &Value| it["kind"] == kind;
    let findings = run.with_reason("finding").into_iter().filter(of_kind);
    let mut files: Vec<String> = findings
        .flat_map(|it| it["locations"].as_array().unwrap().clone())
        .map(|it| it.as_str().unwrap().split(':').next().unwrap().to_owned())
        .collect();
    files.sort();
    files.dedup();
    files
}

/// How many outcomes were allowed by this.
fn count(run: &Run, allowed: &str) -> u64 {
    let skipped = run.summary()["coverage"]["tests_skipped"]
        .as_array()
        .unwrap()
        .clone();
    let why = format!("allowed: {allowed}");
    let counts = skipped.iter().filter(|it| it["why"] == why.as_str());
    counts.map(|it| it["count"].as_u64().unwrap()).sum()
}

#[test]
fn wrong_results_that_are_allowed_in_one_file_are_reported_in_others() {
    let hits = "non-linearizable:src/hits.rs";
    let one = run("Statistics", &[hits]).status(1);
    assert_eq!(files(&one, "non-linearizable"), ["src/level.rs"]);
    assert!(count(&one, hits) > 0, "{}", one.stdout);
}

#[test]
fn an_operation_may_be_wrong_in_a_second_place() {
    let hits = "non-linearizable:src/hits.rs";
    let one = run("Both", &[hits]).status(1);
    assert_eq!(files(&one, "non-linearizable"), ["src/level.rs"]);
}

#[test]
fn nothing_is_reported_where_every_place_is_allowed_and_the_run_is_clean() {
    let (hits, level) = (
        "non-linearizable:src/hits.rs:6",
        "non-linearizable:src/level.rs",
    );
    let none = run("Statistics", &[hits, level]).status(0);
    assert_eq!(none.kinds(), Vec::<String>::new());
    assert_eq!(none.summary()["findings"], 0);
    for allowed in [hits, level] {
        assert!(count(&none, allowed) > 0, "{}", none.stdout);
    }
}

#[test]
fn lost_work_of_cancelled_calls_is_allowed_where_their_futures_are_dropped() {
    let here = "cancellation:src/units.rs";
    let reported = run("Units", &["non-linearizable", "torn-read"]).status(1);
    assert_eq!(reported.kinds(), ["cancellation"]);
    assert_eq!(files(&reported, "cancellation"), ["src/units.rs"]);
    let none = run("Units", &["non-linearizable", "torn-read", here]).status(0);
    assert_eq!(none.kinds(), Vec::<String>::new());
    assert!(count(&none, here) > 0, "{}", none.stdout);
}

#[test]
fn a_test_of_the_crate_that_passes_because_its_failure_is_allowed_says_so() {
    let here = "panic:tests/hits.rs";
    let arguments = ["test", "--test", "hits", "--message-format=json", "--allow"];
    let with = |allowed| subject().contest(&[&arguments[..], &[allowed]].concat());
    let run = with(here).status(0);
    assert_eq!(
        run.tests()["two_hits"]["allowed"],
        serde_json::json!([here])
    );
    assert!(run.stderr.contains(here), "{}", run.stderr);
    let elsewhere = with("panic:src/hits.rs").status(1);
    assert_eq!(elsewhere.tests()["two_hits"]["result"], "fails-sometimes");
}
