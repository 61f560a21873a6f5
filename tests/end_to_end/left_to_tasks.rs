//! Calls that leave a part of their work to a task, and are cancelled before it is done.

use crate::support::Subject;

const MANIFEST: &str =
    "[package]\nname = \"flights\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n";

/// The task of `Flights::fly` counts a flight as landed, also if the call is cancelled. In `Stranded`, the call itself
/// counts it: a cancelled call leaves the flight in the air.
const LIBRARY: &str = r#"
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

#[derive(Default)]
struct Landed(Mutex<(bool, Option<Waker>)>);

impl Landed {
    fn say(&self) {
        let mut landed = self.0.lock().unwrap();
        landed.0 = true;
        if let Some(waker) = landed.1.take() { waker.wake(); }
    }
}

struct Landing(Arc<Landed>);

impl Future for Landing {
    type Output = ();
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut landed = self.0.0.lock().unwrap();
        if landed.0 { return Poll::Ready(()); }
        landed.1 = Some(context.waker().clone());
        Poll::Pending
    }
}

pub struct Flights { open: Arc<AtomicU32> }

impl Flights {
    pub fn new() -> Self { Self { open: Arc::default() } }

    pub async fn fly(&self) -> u32 {
        let (open, landed) = (self.open.clone(), Arc::new(Landed::default()));
        open.fetch_add(1, SeqCst);
        let landing = Landing(landed.clone());
        std::thread::spawn(move || { open.fetch_sub(1, SeqCst); landed.say(); });
        landing.await;
        7
    }

    pub fn in_air(&self) -> u32 { self.open.load(SeqCst) }
}

pub struct Stranded { open: AtomicU32 }

impl Stranded {
    pub fn new() -> Self { Self { open: AtomicU32::new(0) } }

    pub async fn fly(&self) -> u32 {
        let landed = Arc::new(Landed::default());
        self.open.fetch_add(1, SeqCst);
        let landing = Landing(landed.clone());
        std::thread::spawn(move || landed.say());
        landing.await;
        self.open.fetch_sub(1, SeqCst);
        7
    }

    pub fn in_air(&self) -> u32 { self.open.load(SeqCst) }
}
"#;

#[test]
fn what_a_cancelled_call_leaves_is_judged_when_its_task_is_done() {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY)];
    let subject = Subject::with("flights", &files);
    let usual = ["--budget", "2s", "--message-format", "json"];
    let run = subject.contest(&[&usual[..], &["Flights"]].concat());
    let run = run.status(0);
    let reason = "a task of a cancelled call was not yet done";
    assert!(run.stdout.contains(reason), "{}", run.text());
    let run = subject.contest(&[&usual[..], &["Stranded"]].concat());
    let kinds = run.status(1).types_and_kinds();
    let stranded = ("flights::Stranded".to_owned(), "cancellation".to_owned());
    assert!(kinds.contains(&stranded), "{kinds:?}");
}

const SPAWNS_SOMEWHERE: &str = r#"
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

pub struct Logger;

impl Logger {
    pub fn log(&self) { tokio::spawn(async {}); }
}

/// Knows nothing of tasks.
#[derive(Default)]
pub struct Notice { value: AtomicU32, ready: AtomicBool }

impl Notice {
    pub fn publish(&self, value: u32) {
        self.value.store(value | 1, Ordering::Relaxed);
        self.ready.store(true, Ordering::Relaxed);
    }

    pub fn get(&self) -> Option<u32> {
        self.ready.load(Ordering::Acquire).then(|| self.value.load(Ordering::Relaxed))
    }
}

/// Nor does this, and it is right.
#[derive(Default)]
pub struct Tally { names: Mutex<BTreeMap<u8, u32>>, calls: AtomicU32 }

impl Tally {
    pub fn count(&self, name: u8) -> u32 {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let mut names = self.names.lock().unwrap();
        let count = names.entry(name).or_default();
        *count += 1;
        *count
    }

    pub fn of(&self, name: u8) -> Option<u32> {
        self.names.lock().unwrap().get(&name).copied()
    }
}
"#;

/// A package with this source.
fn notices() -> Subject {
    let manifest = "[package]\nname = \"notices\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
                    [dependencies]\ntokio = { version = \"1\", features = [\"rt\"] }\n";
    let files = [("Cargo.toml", manifest), ("src/lib.rs", SPAWNS_SOMEWHERE)];
    Subject::with("notices", &files)
}

#[test]
fn a_runtime_with_nothing_to_do_excuses_nothing() {
    let run = notices().contest(&["Notice", "--budget", "6s"]).status(1);
    let said = run.text();
    assert!(said.contains("a.get() returned Some(0)"), "{said}");
}

/// Its atomics are not those of the test, so they are no reason to explore that under RC11.
#[test]
fn beside_a_runtime_with_nothing_to_do_small_tests_are_whole() {
    let arguments = ["Tally", "--budget", "4s", "--message-format", "json"];
    let summary = notices().contest(&arguments).status(0).summary();
    let coverage = &summary["coverage"];
    let whole = coverage["tests_exhausted"].as_u64();
    assert!(whole > Some(30), "{coverage}");
}
