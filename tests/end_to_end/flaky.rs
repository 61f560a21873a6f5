//! Tests that depend on time, on random numbers, or on other tests: found, named and replayed; their mended twins pass.

use serde_json::Value;

use crate::support::Subject;

const MANIFEST: &str =
    "[package]\nname = \"flaky\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";

const LIBRARY: &str = r#"
use std::cell::RefCell;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::Read;
use std::fs::File;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub fn ms(milliseconds: u64) -> Duration { Duration::from_millis(milliseconds) }

/// A lamp that a thread switches on.
#[derive(Default)]
pub struct Lamp(Arc<AtomicBool>);

impl Lamp {
    pub fn switch_on(&self) -> JoinHandle<()> {
        let on = self.0.clone();
        thread::spawn(move || on.store(true, SeqCst))
    }
    pub fn is_on(&self) -> bool { self.0.load(SeqCst) }
}

/// A few permits at once, and a new one after a while.
pub struct Permits { left: u32, since: Instant }

impl Permits {
    pub fn new() -> Self { Self { left: 2, since: Instant::now() } }
    pub fn take(&mut self) -> bool {
        if self.since.elapsed() >= ms(400) { self.left = 2; }
        let granted = self.left > 0;
        self.left -= u32::from(granted);
        granted
    }
}

pub fn second() -> u64 { SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() % 86_400 }

/// One of a thousand codes.
pub fn code() -> u32 {
    let mut bytes = [0; 4];
    File::open("/dev/urandom").unwrap().read_exact(&mut bytes).unwrap();
    u32::from_le_bytes(bytes) % 1_000
}

pub fn key() -> u64 { RandomState::new().build_hasher().finish() }

/// Answers one caller.
pub fn station(address: SocketAddr) -> JoinHandle<()> {
    thread::spawn(move || drop(TcpListener::bind(address).unwrap().accept().unwrap()))
}

/// Counts for a thread, and adds up when it ends.
struct Tally { sum: &'static AtomicU32, own: u32 }

impl Drop for Tally {
    fn drop(&mut self) { self.sum.fetch_add(self.own, SeqCst); }
}

thread_local! {
    static TALLY: RefCell<Option<Tally>> = const { RefCell::new(None) };
}

pub fn count(sum: &'static AtomicU32, visits: u32) {
    TALLY.with_borrow_mut(|tally| tally.get_or_insert(Tally { sum, own: 0 }).own += visits);
}

pub static VISITS: AtomicU32 = AtomicU32::new(0);
static LOCK: Mutex<()> = Mutex::new(());

#[cfg(test)]
mod broken {
    use super::*;

    #[test]
    fn a_sleep_is_long_enough() {
        let lamp = Lamp::default();
        lamp.switch_on();
        thread::sleep(ms(30));
        assert!(lamp.is_on());
    }

    #[test]
    fn an_answer_comes_in_time() {
        let (sender, receiver) = mpsc::channel();
        let other = thread::spawn(move || sender.send(1));
        assert_eq!(receiver.recv_timeout(ms(100)), Ok(1));
        other.join().unwrap().unwrap();
    }

    #[test]
    fn the_third_has_no_permit() {
        let mut permits = Permits::new();
        assert!(permits.take() && permits.take());
        assert!(!permits.take());
    }

    #[test]
    fn both_readings_are_in_one_second() { assert_eq!(second(), second()); }

    #[test]
    fn the_clock_moves() {
        let before = Instant::now();
        assert!(Instant::now() > before);
    }

    #[test]
    fn the_station_is_there() {
        let [_, a, b, c] = std::process::id().to_be_bytes();
        let address = SocketAddr::from(([127, 1 + a, b, c], 7907));
        let station = station(address);
        thread::sleep(ms(150));
        TcpStream::connect(address).unwrap();
        station.join().unwrap();
    }

    #[test]
    fn no_code_comes_twice() { assert_ne!(code(), code()); }

    #[test]
    fn the_first_visit() { assert_eq!(VISITS.fetch_add(1, SeqCst), 0); }

    #[test]
    fn a_visit_is_counted() {
        let before = VISITS.fetch_add(1, SeqCst);
        assert_eq!(VISITS.load(SeqCst), before + 1);
    }

    #[test]
    fn a_variable_is_set() {
        unsafe { std::env::set_var("FLAKY_FEE", "900") };
        let set = std::env::var("FLAKY_FEE");
        unsafe { std::env::remove_var("FLAKY_FEE") };
        assert_eq!(set.unwrap(), "900");
    }

    #[test]
    fn a_variable_is_not_set() { assert!(std::env::var("FLAKY_FEE").is_err()); }

    #[test]
    fn what_threads_counted_is_there_when_their_scope_ends() {
        static SUM: AtomicU32 = AtomicU32::new(0);
        thread::scope(|scope| { scope.spawn(|| count(&SUM, 3)); });
        assert_eq!(SUM.load(SeqCst), 3);
    }

    #[test]
    fn the_hook_hears_one_panic() {
        static HEARD: AtomicU32 = AtomicU32::new(0);
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| { HEARD.fetch_add(1, SeqCst); }));
        let _ = std::panic::catch_unwind(|| panic!("one"));
        std::panic::set_hook(before);
        assert_eq!(HEARD.load(SeqCst), 1);
    }

    #[test]
    fn a_panic_can_be_caught() { assert!(std::panic::catch_unwind(|| panic!("two")).is_err()); }
}

#[cfg(test)]
mod mended {
    use super::*;

    #[test]
    fn what_threads_counted_is_there_when_they_are_joined() {
        static SUM: AtomicU32 = AtomicU32::new(0);
        thread::scope(|scope| scope.spawn(|| count(&SUM, 4)).join().unwrap());
        assert_eq!(SUM.load(SeqCst), 4);
    }

    static CALLS: AtomicU32 = AtomicU32::new(0);

    #[test]
    fn who_switches_it_on_is_joined() {
        let lamp = Lamp::default();
        let other = lamp.switch_on();
        thread::sleep(ms(30));
        other.join().unwrap();
        assert!(lamp.is_on());
    }

    #[test]
    fn it_is_tried_until_a_late_deadline() {
        let lamp = Lamp::default();
        lamp.switch_on();
        let begun = Instant::now();
        while !lamp.is_on() {
            assert!(begun.elapsed() < ms(5_000), "it never comes on");
            thread::sleep(ms(10));
        }
    }

    #[test]
    fn an_answer_has_a_long_time() {
        let (sender, receiver) = mpsc::channel();
        let other = thread::spawn(move || sender.send(1));
        assert_eq!(receiver.recv_timeout(ms(10_000)), Ok(1));
        other.join().unwrap().unwrap();
    }

    #[test]
    fn it_takes_no_less() {
        let begun = Instant::now();
        thread::sleep(ms(20));
        assert!(begun.elapsed() >= ms(20));
        assert!(Instant::now() >= begun);
    }

    #[test]
    fn the_listener_is_there_first() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let other = thread::spawn(move || drop(listener.accept().unwrap()));
        TcpStream::connect(address).unwrap();
        other.join().unwrap();
    }

    #[test]
    fn a_thread_sets_a_variable() {
        let other = thread::spawn(|| unsafe { std::env::set_var("FLAKY_PORT", "1") });
        other.join().unwrap();
        assert_eq!(std::env::var("FLAKY_PORT").unwrap(), "1");
    }

    #[test]
    fn keys_differ() { assert_ne!(key(), key()); }

    #[test]
    fn a_call_counts() {
        let _lock = LOCK.lock().unwrap();
        let before = CALLS.fetch_add(1, SeqCst);
        assert_eq!(CALLS.load(SeqCst), before + 1);
    }

    #[test]
    fn another_call_counts() {
        let _lock = LOCK.lock().unwrap();
        let before = CALLS.fetch_add(1, SeqCst);
        assert_eq!(CALLS.load(SeqCst), before + 1);
    }
}
"#;

fn subject() -> Subject {
    Subject::with(
        "flaky",
        &[("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY)],
    )
}

/// Kind and test of each finding.
pub(crate) fn found(findings: &[Value]) -> Vec<(&str, &str)> {
    let text = |it: &'_ Value, key| it[key].as_str().unwrap_or_default().to_owned();
    let mut all: Vec<(String, String)> = (findings.iter())
        .map(|it| (text(it, "kind"), text(it, "type")))
        .collect();
    all.sort();
    all.dedup();
    all.into_iter()
        .map(|(kind, test)| (&*kind.leak(), &*test.leak()))
        .collect()
}

#[test]
fn what_depends_on_time_on_chance_or_on_another_test_is_found_and_named() {
    let subject = subject();
    let run = subject.contest(&["test", "--message-format", "json"]);
    let run = run.status(1);
    let findings = run.with_reason("finding");
    let found = found(&findings);
    for (kind, test) in [
        ("timing", "a_sleep_is_long_enough"),
        ("timing", "an_answer_comes_in_time"),
        ("timing", "the_third_has_no_permit"),
        ("timing", "both_readings_are_in_one_second"),
        ("timing", "the_clock_moves"),
        ("timing", "the_station_is_there"),
        (
            "timing",
            "what_threads_counted_is_there_when_their_scope_ends",
        ),
        ("randomness", "no_code_comes_twice"),
    ] {
        let test = format!("broken::{test}");
        assert!(found.contains(&(kind, &test)), "{kind} {test}: {found:?}");
    }
    let together = |one: &str, other: &str| {
        found.iter().any(|(kind, test)| {
            *kind == "interference" && test.contains(one) && test.contains(other)
        })
    };
    assert!(
        together("the_first_visit", "a_visit_is_counted"),
        "{found:?}"
    );
    assert!(
        together("a_variable_is_set", "a_variable_is_not_set"),
        "{found:?}"
    );
    let of_twins: Vec<_> = found
        .iter()
        .filter(|(_, test)| test.contains("mended::"))
        .collect();
    assert!(of_twins.is_empty(), "{of_twins:?}");

    // No strategy sees the lock of `std` around variables, so the claim is not made.
    let tests = run.with_reason("test");
    let sets = tests
        .iter()
        .find(|it| it["name"] == "mended::a_thread_sets_a_variable");
    let sets = sets.unwrap();
    assert_eq!(
        (&sets["result"], &sets["complete"]),
        (&"ok".into(), &false.into()),
        "{sets}"
    );
    assert!(sets["gaps"].to_string().contains("environment"), "{sets}");

    // The one that is late, where, for how long, and what was over meanwhile; each replays.
    let of = |test: &str| {
        let of_test = |it: &&Value| it["type"].as_str().unwrap().contains(test);
        findings.iter().find(of_test).unwrap()
    };
    let late = of("a_sleep_is_long_enough");
    let message = late["message"].as_str().unwrap();
    let line = |text: &str| {
        1 + LIBRARY
            .lines()
            .position(|line| line.contains(text))
            .unwrap()
    };
    let (spawn, sleep) = (
        format!("at src/lib.rs:{}:", line("on.store(true")),
        format!(
            "before the sleep at src/lib.rs:{}:",
            line("thread::sleep(ms(30))")
        ),
    );
    assert!(message.contains("goes on at src/lib.rs"), "{message}");
    assert!(
        message.contains(&spawn) && message.contains(&sleep),
        "{message}"
    );
    assert!(
        message.contains("within 31 ms") || message.contains("within 30 ms"),
        "{message}"
    );
    let scope = of("when_their_scope_ends")["message"].as_str().unwrap();
    let dropped = format!("goes on at src/lib.rs:{}:", line("self.sum.fetch_add"));
    assert!(
        scope.contains(&dropped) && scope.contains("before its scope ends"),
        "{scope}"
    );
    let clock = of("the_third_has_no_permit")["message"].as_str().unwrap();
    assert!(
        clock.contains("less than 400 ms go by before the clock is read at src/lib.rs:"),
        "{clock}"
    );
    for test in [
        "a_sleep_is_long_enough",
        "the_third_has_no_permit",
        "the_first_visit",
        "a_variable_is",
    ] {
        let token = of(test)["schedule"].as_str().unwrap();
        let again = subject.contest(&["replay", token]).status(1);
        assert!(
            again.stdout.contains("panics: "),
            "{test}: {}",
            again.stdout
        );
    }

    let steps = of("a_variable_is")["interleaving"].as_array().unwrap();
    let set = |step: &&Value| step["event"] == "changes an environment variable";
    let set: Vec<&Value> = steps.iter().filter(set).collect();
    assert_eq!(set.len(), 2, "{steps:#?}");
    let at = format!("src/lib.rs:{}:", line("set_var"));
    assert!(
        set[0]["location"].as_str().unwrap().starts_with(&at),
        "{set:#?}"
    );

    // A request to the system is one row of the interleaving, at a line of the package.
    let steps = of("the_hook_hears_one_panic")["interleaving"]
        .as_array()
        .unwrap();
    let places = steps
        .iter()
        .filter(|it| it["event"] == "uses the panic hook");
    let places: Vec<_> = places.map(|it| it["location"].as_str().unwrap()).collect();
    let taken = format!("src/lib.rs:{}:", line("take_hook()"));
    let taken = places.iter().filter(|it| it.starts_with(&taken)).count();
    assert_eq!(taken, 1, "{steps:#?}");
    assert!(
        places.iter().all(|it| it.starts_with("src/lib.rs:")),
        "{steps:#?}"
    );

    // Who knows of them allows them, or is warned.
    let kinds = ["timing", "randomness", "interference"];
    let mut allowed = vec!["test", "--message-format", "json"];
    kinds
        .iter()
        .for_each(|kind| allowed.extend(["--allow", kind]));
    let run = subject.contest(&allowed).status(0);
    assert!(run.with_reason("finding").is_empty(), "{}", run.stdout);
    let warned = [
        "test",
        "--message-format",
        "json",
        "--warn",
        "timing",
        "a_sleep",
    ];
    let run = subject.contest(&warned).status(0);
    assert_eq!(run.with_reason("finding")[0]["level"], "warning");

    // Each test in a process of its own meets no other one.
    let isolated = ["test", "--isolated", "--message-format", "json", "visit"];
    let run = subject.contest(&isolated).status(0);
    assert_eq!(run.with_reason("test-summary")[0]["pairs"], 0);

    // Of those that a list names it is said how likely they fail.
    subject.write("flaky.txt", "# known\nbroken::a_sleep_is_long_enough\n");
    let listed = ["test", "--flaky", "flaky.txt", "--message-format", "json"];
    let run = subject.contest(&listed).status(1);
    let tests = run.with_reason("test");
    assert_eq!(tests.len(), 1, "{tests:?}");
    let (all, failing) = (&tests[0]["random_executions"], &tests[0]["random_failures"]);
    assert!(
        all.as_u64() >= Some(10) && failing.as_u64() > Some(0),
        "{}",
        tests[0]
    );
    let details = run.with_reason("finding")[0]["details"].to_string();
    assert!(details.contains("random executions"), "{details}");
    let sound = tests[0]["sound"].to_string();
    assert!(sound.contains("accesses of memory"), "{sound}");
    let missing = ["test", "--flaky", "missing.txt"];
    subject.contest(&missing).status(2);
}
