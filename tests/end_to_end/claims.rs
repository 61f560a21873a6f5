//! What `try` says of a scenario: all outcomes, or that there may be others.

use serde_json::Value;

use crate::support::{Run, Subject};

const MANIFEST: &str = "[package]\nname = \"claims\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

const LIBRARY: &str = r#"
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// A flag that somebody may set.
#[derive(Default)]
pub struct Flag(AtomicBool);

impl Flag {
    pub fn new() -> Self { Self::default() }
    pub fn set(&self) { self.0.store(true, SeqCst); }
    pub fn few_tries(&self) -> bool { (0..5).any(|_| self.0.load(SeqCst)) }
    pub fn many_tries(&self) -> bool { (0..1_000_000).any(|_| self.0.load(SeqCst)) }
    pub fn wait(&self) { while !self.0.load(SeqCst) {} }
}

struct Last(Arc<AtomicBool>);

impl Drop for Last {
    fn drop(&mut self) { self.0.store(true, SeqCst); }
}

/// Two references to one value.
pub struct Pair { one: Mutex<Option<Arc<Last>>>, two: Mutex<Option<Arc<Last>>>, gone: Arc<AtomicBool> }

impl Pair {
    pub fn new() -> Self {
        let gone = Arc::new(AtomicBool::new(false));
        let last = Arc::new(Last(gone.clone()));
        Self { one: Mutex::new(Some(last.clone())), two: Mutex::new(Some(last)), gone }
    }
    pub fn drop_one(&self) -> bool { drop(self.one.lock().unwrap().take()); self.gone.load(SeqCst) }
    pub fn drop_two(&self) -> bool { drop(self.two.lock().unwrap().take()); self.gone.load(SeqCst) }
}

/// Two references to one number, which the last one gives back.
pub struct Halves { one: Mutex<Option<Arc<u8>>>, two: Mutex<Option<Arc<u8>>> }

impl Halves {
    pub fn new() -> Self {
        let number = Arc::new(7);
        Self { one: Mutex::new(Some(number.clone())), two: Mutex::new(Some(number)) }
    }
    pub fn end_one(&self) -> Option<u8> { end(&self.one) }
    pub fn end_two(&self) -> Option<u8> { end(&self.two) }
    pub fn drop_one(&self) { drop(self.one.lock().unwrap().take()) }
    pub fn drop_two(&self) { drop(self.two.lock().unwrap().take()) }
}

fn end(half: &Mutex<Option<Arc<u8>>>) -> Option<u8> {
    let half = half.lock().unwrap().take();
    half.and_then(Arc::into_inner)
}

/// Room for one value.
#[derive(Default)]
pub struct Room(Mutex<Option<u8>>, Condvar);

impl Room {
    pub fn new() -> Self { Self::default() }
    pub fn put(&self, value: u8) { *self.0.lock().unwrap() = Some(value); self.1.notify_one(); }
    pub fn take_soon(&self) -> Option<u8> {
        let guard = self.0.lock().unwrap();
        let soon = Duration::from_millis(20);
        self.1.wait_timeout_while(guard, soon, |value| value.is_none()).unwrap().0.take()
    }
}

/// Locks that are taken in the order of their addresses.
#[derive(Default)]
pub struct Ordered(Mutex<Vec<Box<u64>>>);

impl Ordered {
    pub fn new() -> Self { Self::default() }
    pub fn add(&self, value: u64) -> bool {
        let own = Box::new(value);
        let mut all = self.0.lock().unwrap();
        let lowest = all.iter().all(|other| &raw const **other > &raw const *own);
        all.push(own);
        lowest
    }
}
"#;

fn subject() -> Subject {
    Subject::with(
        "claims",
        &[("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY)],
    )
}

/// How many outcomes are shown, and whether these are all.
fn outcomes(run: &Run) -> (usize, bool) {
    let summary = &run.with_reason("try-summary")[0];
    let complete = summary["complete"] == Value::Bool(true);
    (run.with_reason("outcome").len(), complete)
}

fn all_by(strategy: &str, subject: &Subject, scenario: &str) -> (usize, bool) {
    let options = [
        "try",
        scenario,
        "--strategy",
        strategy,
        "--budget",
        "4s",
        "--message-format",
        "json",
    ];
    outcomes(&subject.contest(&options))
}

fn all_of(subject: &Subject, scenario: &str) -> (usize, bool) {
    all_by("dpor", subject, scenario)
}

/// What lies beyond the schedule: where memory is, and when a thread of a scope drops its locals.
const BEYOND: &str = r#"
use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

/// Two boxes, each of a thread.
#[derive(Default)]
pub struct Boxes { places: [AtomicUsize; 2], kept: Mutex<Vec<Box<u64>>> }

impl Boxes {
    pub fn new() -> Self { Self::default() }
    pub fn put(&self, side: usize) -> Option<bool> {
        let made = Box::new(side as u64);
        self.places[side].store(&raw const *made as usize, SeqCst);
        self.kept.lock().unwrap().push(made);
        let [left, right] = [0, 1].map(|it: usize| self.places[it].load(SeqCst));
        (left.min(right) > 0).then_some(left < right)
    }
    pub fn count(&self) -> usize { self.kept.lock().unwrap().len() }
}

struct Counts(Arc<AtomicUsize>);

impl Drop for Counts {
    fn drop(&mut self) { self.0.fetch_add(1, SeqCst); }
}

thread_local! { static KEPT: RefCell<Option<Counts>> = const { RefCell::new(None) }; }

/// Counts threads of scopes that have gone.
#[derive(Default)]
pub struct Gone(Arc<AtomicUsize>);

impl Gone {
    pub fn new() -> Self { Self::default() }
    pub fn one_goes(&self) -> usize {
        let counts = Counts(Arc::clone(&self.0));
        std::thread::scope(|scope| { scope.spawn(|| KEPT.set(Some(counts))); });
        self.0.load(SeqCst)
    }
    pub fn gone(&self) -> usize { self.0.load(SeqCst) }
}
"#;

/// Why the outcomes are not called complete.
fn gap_of(subject: &Subject, scenario: &str) -> String {
    let options = [
        "try",
        scenario,
        "--strategy",
        "dpor",
        "--message-format",
        "json",
    ];
    let run = subject.contest(&options);
    run.with_reason("try-summary")[0]["why"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn what_depends_on_addresses_or_on_late_thread_locals_is_not_called_complete() {
    let subject = Subject::with(
        "claims",
        &[("Cargo.toml", MANIFEST), ("src/lib.rs", BEYOND)],
    );
    let boxes = "let b = Boxes::new(); b.put(0) | b.put(1)";
    assert!(gap_of(&subject, boxes).contains("addresses of memory"));
    let counted = "let b = Boxes::new(); b.count() | b.count()";
    assert_eq!(all_of(&subject, counted), (1, true));
    let gone = "let g = Gone::new(); g.one_goes() | g.gone()";
    assert!(gap_of(&subject, gone).contains("thread-locals"));
}

#[test]
fn a_loop_of_a_few_tries_ends_in_vain_too_and_the_last_reference_is_dropped_by_either() {
    let subject = subject();
    let flag = |call| format!("let f = Flag::new(); f.{call}() | f.set()");
    assert_eq!(all_of(&subject, &flag("few_tries")), (2, true));
    assert!(!all_of(&subject, &flag("many_tries")).1);
    assert_eq!(all_of(&subject, &flag("wait")), (1, true));
    let pair = "let p = Pair::new(); p.drop_one() | p.drop_two()";
    assert_eq!(all_of(&subject, pair), (3, true));
    // Who is last shows in what is returned, and not where nothing is done with it.
    let halves = |call| format!("let h = Halves::new(); h.{call}_one() | h.{call}_two()");
    assert_eq!(all_of(&subject, &halves("end")), (2, true));
    assert_eq!(all_of(&subject, &halves("drop")), (1, true));
}

#[test]
fn a_timed_wait_ends_early_too_and_addresses_are_those_of_the_thread() {
    let subject = subject();
    let room = "let r = Room::new(); r.take_soon() | r.put(1)";
    assert_eq!(all_of(&subject, room).0, 2);
    let ordered = "let o = Ordered::new(); o.add(1) | o.add(2)";
    // A box of one thread may lie below that of the other one, or above.
    assert_eq!(all_of(&subject, ordered), (2, false));
    assert_eq!(all_by("random", &subject, ordered).0, 2);
}

/// An object with an idle thread, as runtimes have, and one whose thread changes it.
const DESK: &str = r#"
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::{Acquire, Release, SeqCst}};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

/// A counter with an idle thread of its own.
pub struct Desk(AtomicU32);

impl Desk {
    pub fn new() -> Self {
        thread::spawn(|| {
            let rounds = std::sync::Mutex::new(0);
            loop {
                *rounds.lock().unwrap() += 1;
                thread::park();
            }
        });
        Self(AtomicU32::new(0))
    }
    pub fn number(&self) -> u32 { self.0.fetch_add(1, SeqCst) }
    pub fn slow_number(&self) -> u32 {
        let number = self.0.load(SeqCst);
        self.0.store(number + 1, SeqCst);
        number
    }
}

/// Numbers of which a thread of its own takes one.
pub struct Later(Arc<AtomicU32>);

impl Later {
    pub fn new() -> Self {
        let numbers = Arc::new(AtomicU32::new(0));
        let of_thread = Arc::clone(&numbers);
        thread::spawn(move || of_thread.fetch_add(1, SeqCst));
        Self(numbers)
    }
    pub fn number(&self) -> u32 { self.0.fetch_add(1, SeqCst) }
}

/// Its thread may miss that it is to end.
pub struct Watch { shared: Arc<(Mutex<u32>, Condvar, AtomicBool)>, thread: Option<thread::JoinHandle<()>> }

impl Watch {
    pub fn new() -> Self {
        let shared = Arc::new((Mutex::new(0), Condvar::new(), AtomicBool::new(false)));
        let of_thread = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            let mut wanted = of_thread.0.lock().unwrap();
            loop {
                while *wanted == 0 {
                    if of_thread.2.load(Acquire) { return }
                    wanted = of_thread.1.wait(wanted).unwrap();
                }
                *wanted -= 1;
            }
        });
        Self { shared, thread: Some(thread) }
    }
    pub fn want(&self) {
        *self.shared.0.lock().unwrap() += 1;
        self.shared.1.notify_one();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.2.store(true, Release);
        self.shared.1.notify_one();
        let _ = self.thread.take().unwrap().join();
    }
}

#[test]
fn goes_on_with_the_panic_of_a_thread() {
    let other = thread::spawn(|| panic!("alike")); // this one
    let payload = other.join().unwrap_err();
    std::panic::catch_unwind(|| panic!("alike")).unwrap_err();
    std::panic::resume_unwind(payload);
}

#[test]
fn both_count() {
    use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
    let count = AtomicU8::new(0);
    let add = || count.store(count.load(Relaxed) + 1, Relaxed);
    std::thread::scope(|scope| {
        scope.spawn(add);
        scope.spawn(add);
    });
    assert_eq!(count.into_inner(), 2);
}
"#;

#[test]
fn an_idle_background_thread_leaves_no_gap() {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", DESK)];
    let subject = Subject::with("claims", &files);
    let desk = "let d = Desk::new(); d.number() | d.number()";
    assert_eq!(all_of(&subject, desk), (2, true));
    let later = "let l = Later::new(); l.number() | l.number()";
    assert!(gap_of(&subject, later).contains("background threads ran in one order"));
    // What is shown is what was typed.
    let slow = "let a = Desk::new(); a.slow_number() | a.slow_number()";
    let said = subject.contest(&["try", slow]).status(1).text();
    assert!(said.contains("| let a = Desk::new();\n"), "{said}");
    // What hangs after all calls have returned is not what most executions do.
    let wants = "let w = Watch::new(); w.want() | w.want()";
    let run = subject.contest(&["try", wants, "--message-format", "json"]);
    let outcomes = run.status(1).with_reason("outcome");
    let [hangs, ends] = [true, false].map(|bug| {
        let outcome = outcomes.iter().find(|it| it["bug"] == bug);
        outcome.unwrap_or_else(|| panic!("{outcomes:?}"))
    });
    assert_eq!((&hangs["results"], outcomes.len()), (&ends["results"], 2));
    assert!(hangs["executions"].as_u64() < ends["executions"].as_u64());
    // It needs no reordering, whatever was explored first.
    let weak = [
        "Watch",
        "--memory-model",
        "rc11",
        "--budget",
        "3s",
        "--no-emit",
    ];
    let said = subject.contest(&weak).status(1).text();
    assert!(said.contains("[deadlock]"), "{said}");
    assert!(!said.contains("passing over the write"), "{said}");
    // Nor does a test of the package.
    let test = ["test", "both_count", "--memory-model", "rc11"];
    let test = [&test[..], &["--strategy", "dpor"]].concat();
    let of_test = subject.contest(&test).status(1).text();
    assert!(
        of_test.contains("both_count ... FAILED, sometimes"),
        "{of_test}"
    );
    assert!(!of_test.contains("passing over the write"), "{of_test}");
    // It fails by the panic that ends it, although it caught another one with this text.
    let fails = subject.contest(&["test", "goes_on_with"]).status(1).text();
    let line = DESK.lines().position(|it| it.ends_with("// this one"));
    let place = format!("alike at src/lib.rs:{}:", line.unwrap() + 1);
    assert!(fails.contains(&place), "no `{place}` in {fails}");
    // Its thread has one number, after those of the test.
    assert!(said.contains("background thread 3 waits on"), "{said}");
    assert!(said.contains("| thread 3 "), "{said}");
}

const RELAY: &str = r#"
use std::future::{pending, poll_fn};
use std::sync::Mutex;
use std::task::Poll;

/// Events are taken one at a time, and are delivered a little later.
#[derive(Default)]
pub struct Relay { queue: Mutex<Option<u8>>, done: Mutex<Vec<u8>> }

impl Relay {
    pub fn new() -> Self { Self::default() }
    pub fn submit(&self, event: u8) -> bool {
        let mut queue = self.queue.lock().unwrap();
        queue.is_none() && queue.replace(event).is_none()
    }
    pub fn delivered(&self) -> Vec<u8> { self.done.lock().unwrap().clone() }
    pub async fn run(&self) {
        loop {
            let Some(event) = self.queue.lock().unwrap().take() else { return pending().await };
            let mut polled = false;
            poll_fn(|context| {
                context.waker().wake_by_ref();
                if std::mem::replace(&mut polled, true) { Poll::Ready(()) } else { Poll::Pending }
            }).await;
            self.done.lock().unwrap().push(event);
        }
    }
}
"#;

#[test]
fn what_a_cancelled_call_would_have_left_is_said_where_it_never_ends() {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", RELAY)];
    let subject = Subject::with("claims", &files);
    let run = subject.contest(&["--budget", "3s", "--no-emit", "-v"]);
    let said = run.status(1).text();
    assert!(said.contains("[cancellation]"), "{said}");
    let left = "if it goes on until it waits: afterwards a.delivered() is []";
    assert!(said.contains(left), "{said}");
}
