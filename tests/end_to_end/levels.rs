//! Levels of findings: errors fail a run, warnings do not.

use crate::support::{Run, Subject};

const MANIFEST: &str =
    "[package]\nname = \"metrics\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n";

/// A reader that sees a mixture, a reader beside a change that is wrong, and a reader that an ordering deceives.
const LIBRARY: &str = r#"
mod jobs;
mod kept;
mod parcel;
mod permits;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

pub use jobs::Jobs;
pub use kept::Kept;
pub use parcel::Parcel;
pub use permits::{Late, Permits};

/// Counts hits and misses.
#[derive(Debug, Default)]
pub struct Metrics { hits: AtomicU32, misses: AtomicU32 }

impl Metrics {
    pub fn new() -> Self { Self::default() }

    pub fn both(&self) {
        self.hits.fetch_add(1, Relaxed);
        self.misses.fetch_add(1, Relaxed);
    }

    pub fn read(&self) -> (u32, u32) { (self.hits.load(Relaxed), self.misses.load(Relaxed)) }
}
"#;

const JOBS: &str = r#"
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// Takes jobs out of a store, but not in one step.
#[derive(Debug)]
pub struct Jobs { left: AtomicU32 }

impl Jobs {
    pub fn new() -> Self { Self { left: AtomicU32::new(2) } }

    pub fn take(&self) -> bool {
        let left = self.left.load(SeqCst);
        if left == 0 { return false; }
        self.left.store(left - 1, SeqCst);
        true
    }

    pub fn read(&self) -> u32 { self.left.load(SeqCst) }
}
"#;

const PARCEL: &str = r#"
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// Says that it is ready before others see what is in it.
#[derive(Debug, Default)]
pub struct Parcel { weight: AtomicU32, ready: AtomicBool }

impl Parcel {
    pub fn new() -> Self { Self::default() }

    pub fn put(&self) {
        self.weight.store(7, Relaxed);
        self.ready.store(true, Relaxed);
    }

    pub fn weigh(&self) -> Option<u32> { self.ready.load(Relaxed).then(|| self.weight.load(Relaxed)) }
}
"#;

/// What takes a permit gives it back. What is set up by a first use is not what others see of one.
const PERMITS: &str = r#"
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

#[derive(Debug)]
pub struct Permits { left: AtomicU32 }

impl Permits {
    pub fn new() -> Self { Self { left: AtomicU32::new(1) } }

    pub fn work(&self) -> u32 {
        self.left.fetch_sub(1, SeqCst);
        let done = 3;
        self.left.fetch_add(1, SeqCst);
        done
    }

    pub fn read(&self) -> u32 { self.left.load(SeqCst) }
}

static BEGUN: AtomicU32 = AtomicU32::new(0);
static VALUE: AtomicU32 = AtomicU32::new(0);

#[derive(Debug)]
pub struct Late { id: AtomicU32 }

impl Late {
    pub fn new() -> Self { Self { id: AtomicU32::new(0) } }

    pub fn get(&self) -> u32 {
        if BEGUN.swap(1, SeqCst) == 0 { VALUE.store(7, SeqCst); }
        VALUE.load(SeqCst) + self.id.load(SeqCst)
    }
}
"#;

/// What reads changes the object: it keeps what it has read, also when that is no longer so.
const KEPT: &str = r#"
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

#[derive(Debug)]
pub struct Kept { value: AtomicU32, kept: AtomicU32 }

impl Kept {
    pub fn new() -> Self { Self { value: AtomicU32::new(1), kept: AtomicU32::new(0) } }

    pub fn set(&self) {
        self.value.store(2, SeqCst);
        self.kept.store(0, SeqCst);
    }

    pub fn get(&self) -> u32 {
        let kept = self.kept.load(SeqCst);
        if kept > 0 { return kept; }
        let value = self.value.load(SeqCst);
        self.kept.store(value, SeqCst);
        value
    }
}
"#;

fn subject(settings: &str) -> Subject {
    let manifest = format!("{MANIFEST}{settings}");
    let files = [
        ("Cargo.toml", manifest.as_str()),
        ("src/lib.rs", LIBRARY),
        ("src/jobs.rs", JOBS),
        ("src/kept.rs", KEPT),
        ("src/parcel.rs", PARCEL),
        ("src/permits.rs", PERMITS),
    ];
    Subject::with("metrics", &files)
}

fn explore(subject: &Subject, arguments: &[&str]) -> Run {
    let usual = ["--message-format", "json", "--budget", "2s", "--no-emit"];
    subject.contest(&[arguments, &usual].concat())
}

fn levels(run: &Run) -> Vec<(String, String)> {
    let text = |finding: &serde_json::Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let findings = run.with_reason("finding");
    let found = findings
        .iter()
        .map(|it| (text(it, "level"), text(it, "kind")));
    found.collect()
}

fn of(level: &str, kind: &str) -> Vec<(String, String)> {
    vec![(level.to_owned(), kind.to_owned())]
}

#[test]
fn a_mixture_is_a_warning_and_what_changes_an_object_wrongly_is_an_error() {
    let subject = subject("");
    let run = explore(&subject, &["Metrics"]).status(0);
    assert_eq!(levels(&run), of("warning", "torn-read"), "{}", run.stderr);
    assert_eq!(run.summary()["warnings"], 1);
    assert!(
        run.stderr.contains("warning[torn-read]: a.read() returned"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("1 warning: 1 torn-read"),
        "{}",
        run.stderr
    );
    let run = explore(&subject, &["Jobs"]).status(1);
    assert_eq!(
        levels(&run),
        of("error", "non-linearizable"),
        "{}",
        run.stderr
    );
    let run = explore(&subject, &["Kept"]).status(1);
    let kinds = levels(&run);
    assert!(
        kinds
            .iter()
            .all(|it| of("error", "non-linearizable").contains(it)),
        "{kinds:?}"
    );
    let run = explore(&subject, &["Permits"]).status(0);
    assert_eq!(levels(&run), of("warning", "torn-read"), "{}", run.stderr);
    let run = explore(&subject, &["Late"]).status(1);
    assert_eq!(
        levels(&run),
        of("error", "non-linearizable"),
        "{}",
        run.stderr
    );
    // In the order of its steps each read is right: it is the ordering that is wrong.
    let run = explore(&subject, &["Parcel"]).status(1);
    assert_eq!(
        levels(&run),
        of("error", "non-linearizable"),
        "{}",
        run.stderr
    );
}

/// Beside a worker the state of an object is not known. Of one desk only the look at its permits is a mixture, the
/// other one gives a number twice.
const DESKS: &str = r#"
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::mpsc::{Sender, channel};

fn clerk() -> Sender<u32> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || receiver.iter().sum::<u32>());
    sender
}

pub struct Desk { spare: AtomicU32, next: AtomicU32, clerk: Sender<u32> }

impl Desk {
    pub fn new() -> Self { Self { spare: AtomicU32::new(2), next: AtomicU32::new(0), clerk: clerk() } }

    pub fn book(&self) -> u32 {
        self.spare.fetch_sub(1, SeqCst);
        let number = self.next.fetch_add(1, SeqCst);
        self.spare.fetch_add(1, SeqCst);
        self.clerk.send(number).unwrap();
        number
    }

    pub fn spare(&self) -> u32 { self.spare.load(SeqCst) }
}

pub struct Twice { next: AtomicU32, clerk: Sender<u32> }

impl Twice {
    pub fn new() -> Self { Self { next: AtomicU32::new(0), clerk: clerk() } }

    pub fn book(&self) -> u32 {
        let number = self.next.load(SeqCst);
        self.next.store(number + 1, SeqCst);
        self.clerk.send(number).unwrap();
        number
    }

    pub fn booked(&self) -> u32 { self.next.load(SeqCst) }
}
"#;

#[test]
fn an_emitted_test_of_a_warning_fails_no_run_unless_it_is_denied() {
    let subject = subject("");
    subject.contest(&["Metrics", "--budget", "2s"]).status(0);
    let run = subject.contest(&["test", "--emitted"]).status(0);
    let said = run.text();
    assert!(
        said.contains("_torn_read_1 ... ok, with a warning: torn-read: a.read() returned"),
        "{said}"
    );
    let run = subject.contest(&["test", "--emitted", "--deny", "torn-read"]);
    let said = run.status(1).text();
    assert!(
        said.contains("_torn_read_1 ... FAILED: torn-read"),
        "{said}"
    );
    let run = subject.contest(&["test", "--emitted", "--allow", "torn-read"]);
    let said = run.status(0).text();
    assert!(said.contains("_torn_read_1 ... ok\n"), "{said}");
}

#[test]
fn what_a_call_reads_beside_a_worker_is_a_mixture_too() {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", DESKS)];
    let subject = Subject::with("desks", &files);
    let run = explore(&subject, &["Desk"]).status(0);
    assert_eq!(levels(&run), of("warning", "torn-read"), "{}", run.stderr);
    let run = explore(&subject, &["Twice"]).status(1);
    let error = of("error", "non-linearizable");
    assert_eq!(levels(&run), error, "{}", run.stderr);
}

#[test]
fn a_warning_is_denied_by_its_kind_in_its_place_and_with_all_others() {
    let subject = subject("");
    for deny in ["torn-read", "torn-read:src/lib.rs", "warnings"] {
        let run = explore(&subject, &["Metrics", "--deny", deny]).status(1);
        assert_eq!(
            levels(&run),
            of("error", "torn-read"),
            "{deny}: {}",
            run.stderr
        );
    }
    let elsewhere = explore(&subject, &["Metrics", "--deny", "torn-read:src/jobs.rs"]).status(0);
    assert_eq!(levels(&elsewhere), of("warning", "torn-read"));
    let allowed = explore(&subject, &["Metrics", "--allow", "torn-read:src/lib.rs"]).status(0);
    assert_eq!(levels(&allowed), []);
    let warned = explore(
        &subject,
        &["Jobs", "--warn", "non-linearizable:src/jobs.rs"],
    )
    .status(0);
    assert_eq!(levels(&warned), of("warning", "non-linearizable"));
}

#[test]
fn the_manifest_says_it_too_and_the_command_line_is_stronger() {
    let settings = "[package.metadata.contest]\ndeny = [\"torn-read:src/lib.rs\"]\nwarn = [\"non-linearizable\"]\n";
    let subject = subject(settings);
    let run = explore(&subject, &["Metrics"]).status(1);
    assert_eq!(levels(&run), of("error", "torn-read"));
    let run = explore(&subject, &["Metrics", "--warn", "torn-read"]).status(0);
    assert_eq!(levels(&run), of("warning", "torn-read"));
    let run = explore(&subject, &["Jobs"]).status(0);
    assert_eq!(levels(&run), of("warning", "non-linearizable"));
}

#[test]
fn reports_have_the_level() {
    let subject = subject("");
    let reports = ["--sarif", "r.sarif", "--junit", "r.xml", "--html", "pages"];
    explore(&subject, &[&["Metrics"], &reports[..]].concat()).status(0);
    let read = |name: &str| std::fs::read_to_string(subject.directory.join(name)).unwrap();
    assert!(read("r.sarif").contains("\"level\": \"warning\""));
    assert!(
        read("r.xml").contains("failures=\"0\""),
        "{}",
        read("r.xml")
    );
    assert!(read("pages/index.html").contains("torn-read (warning)"));
}

const WORDS: &str = r#"
//! What is said to be loose, at different places.

pub mod figures;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Hits and misses, only as statistics.
#[derive(Debug, Default)]
pub struct Counters { hits: AtomicU32, misses: AtomicU32 }

impl Counters {
    pub fn both(&self) {
        self.hits.fetch_add(1, Relaxed);
        self.misses.fetch_add(1, Relaxed);
    }
    pub fn get(&self) -> (u32, u32) { (self.hits.load(Relaxed), self.misses.load(Relaxed)) }
}

/// Hits and misses.
#[derive(Debug, Default)]
pub struct Exact { hits: AtomicU32, misses: AtomicU32 }

impl Exact {
    pub fn both(&self) {
        self.hits.fetch_add(1, Relaxed);
        self.misses.fetch_add(1, Relaxed);
    }
    pub fn get(&self) -> (u32, u32) { (self.hits.load(Relaxed), self.misses.load(Relaxed)) }
}
"#;

const FIGURES: &str = r#"
//! Best-effort figures.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Hits and misses.
#[derive(Debug, Default)]
pub struct Figures { hits: AtomicU32, misses: AtomicU32 }

impl Figures {
    pub fn both(&self) {
        self.hits.fetch_add(1, Relaxed);
        self.misses.fetch_add(1, Relaxed);
    }
    pub fn get(&self) -> (u32, u32) { (self.hits.load(Relaxed), self.misses.load(Relaxed)) }
}
"#;

fn torn(settings: &str) -> Vec<String> {
    let manifest = format!("{MANIFEST}{settings}");
    let files = [
        ("Cargo.toml", manifest.as_str()),
        ("src/lib.rs", WORDS),
        ("src/figures.rs", FIGURES),
    ];
    let run = explore(&Subject::with("words", &files), &[]).status(0);
    let found = run.types_and_kinds().into_iter();
    found.map(|(of, kind)| format!("{kind} in {of}")).collect()
}

#[test]
fn what_the_documentation_calls_loose_is_no_finding_and_the_manifest_decides_otherwise() {
    assert_eq!(torn(""), ["torn-read in metrics::Exact"]);
    let settings =
        "[package.metadata.contest]\nweak = [\"Exact::*\"]\nexact = [\"Figures::get\"]\n";
    assert_eq!(torn(settings), ["torn-read in metrics::figures::Figures"]);
}
