//! `cargo contest test` on the tests that a crate has itself, and `cargo contest try`.

use serde_json::Value;

use crate::support::{Subject, target_directory};

#[test]
fn every_flaky_test_is_found_out_and_replays() {
    let copy = Subject::copy("faulty/flaky_tests");
    let before = copy.tree();
    let run = copy
        .contest(&["test", "--message-format", "json"])
        .status(1);
    let results = run.tests();
    assert_eq!(results.len(), 20, "{}", run.stderr);
    assert_eq!(
        run.tests_that("fails-sometimes").len(),
        20,
        "{}",
        run.stderr
    );
    let findings = run.with_reason("finding");
    for name in results.keys() {
        let mut findings = findings.iter();
        let finding = findings.find(|finding| finding["test"] == name.as_str());
        let finding = finding.unwrap_or_else(|| panic!("{name} has no finding"));
        assert!(finding["executions"].as_u64().unwrap() < 1_000, "{finding}");
        assert!(finding["elapsed_ms"].as_u64().unwrap() < 1_000, "{finding}");
    }
    let kind_of = |test: &str| {
        let of_test = findings.iter().find(|finding| finding["test"] == test);
        of_test.unwrap()["kind"].as_str().unwrap().to_owned()
    };
    assert_eq!(kind_of("transfers_in_both_directions_end"), "deadlock");
    assert_eq!(kind_of("no_bump_is_lost"), "panic");
    assert_eq!(kind_of("sums_under_a_spin_lock"), "data-race");
    assert_eq!(kind_of("a_shared_block_is_freed"), "leak");

    let of_account = |finding: &&Value| finding["test"] == "an_account_is_not_overdrawn";
    let finding = findings.iter().find(of_account).unwrap();
    let token = finding["schedule"].as_str().unwrap();
    let first = copy.contest(&["replay", token]).status(1);
    let second = copy.contest(&["replay", token]).status(1);
    assert!(first.stdout.contains("balance() >= 0"), "{}", first.stdout);
    assert_eq!(first.stdout, second.stdout);
    let mut after = copy.tree();
    after.retain(|path, _| path.file_name().unwrap() != "Cargo.lock");
    assert_eq!(before, after);

    // A schedule that is kept runs again, and cargo leaves it out.
    let kept = copy
        .contest(&["test", "an_account_is_not_overdrawn", "--emit"])
        .status(1);
    let name = "contest_an_account_is_not_overdrawn_panic_1";
    let file = format!("tests/{name}.rs");
    assert!(kept.stdout.contains(&file), "{}", kept.stdout);
    let again = copy.contest(&["test", "--emitted"]).status(1);
    let failed = format!("test {name} ... FAILED: panic");
    assert!(again.stdout.contains(&failed), "{}", again.stdout);
    copy.cargo(&["test", "--test", name]).status(0);
}

#[test]
fn nothing_is_found_in_their_mended_twin() {
    let run = Subject::copy("correct/flaky_tests")
        .contest(&["test", "--message-format", "json", "--test-budget", "300ms"])
        .status(0);
    let results = run.tests();
    assert_eq!(run.tests_that("ok").len(), 21, "{}", run.stderr);
    let complete = results.values().filter(|line| line["complete"] == true);
    assert!(complete.count() >= 19, "{}", run.stderr);
    let summary = &run.with_reason("test-summary")[0];
    assert_eq!(summary["findings"], 0);
}

const MISBEHAVING: &str = r#"
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

static COUNT: AtomicUsize = AtomicUsize::new(0);

#[test] fn plain() { assert_eq!(COUNT.fetch_add(1, SeqCst), 0); }
#[test] fn statics_are_put_back() { assert_eq!(COUNT.fetch_add(1, SeqCst), 0); }
#[test] #[should_panic(expected = "yes")] fn panics_as_it_should() { panic!("oh yes") }
#[test] #[should_panic(expected = "no")] fn panics_otherwise() { panic!("yes") }
#[test] #[ignore = "slow"] fn ignored() { panic!() }
#[test] fn returns_an_error() -> Result<(), String> { Err("bad".into()) }
#[test] fn fails_always() { assert_eq!(1, 2); }
#[test] fn sleeps_for_an_hour() {
    let begun = Instant::now();
    spawn(|| sleep(Duration::from_secs(1800))).join().unwrap();
    sleep(Duration::from_secs(1800));
    assert!(begun.elapsed() >= Duration::from_secs(3600));
}
#[test] fn exits() { std::process::exit(0); }
#[test] fn aborts() { std::process::abort(); }
#[test] fn dies_sometimes() {
    static SET: AtomicUsize = AtomicUsize::new(0);
    let thread = spawn(|| SET.store(1, SeqCst));
    if SET.load(SeqCst) == 1 { unsafe { std::ptr::null_mut::<u8>().write_volatile(1) } }
    thread.join().unwrap();
}
#[test] fn loops_for_ever() { let mut n = 1_u64; while std::hint::black_box(n) != 0 { n |= 1; } }
#[test] fn overflows_its_stack() {
    fn down(n: u64) -> u64 { let a = [n; 64]; down(n + 1) + std::hint::black_box(a)[3] }
    down(0);
}
#[test] fn changes_the_directory() { std::env::set_current_dir("/").unwrap(); }
#[test] fn finds_its_directory() { assert!(std::path::Path::new("src/lib.rs").is_file()); }
#[test] fn takes_long_if_it_is_watched() {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let thread = spawn(|| ());
    let mut bytes = vec![0_u8; 256];
    for round in 0..200_000_usize {
        COUNT.fetch_add(1, SeqCst);
        for byte in &mut bytes { *byte = std::hint::black_box(*byte).wrapping_add(round as u8); }
    }
    thread.join().unwrap();
}
#[test] fn writes_a_file() {
    let path = std::env::temp_dir().join("contest-own-tests");
    let threads = [1, 2, 3].map(|n| { let path = path.clone(); spawn(move || { let _ = std::fs::write(path, [n]); }) });
    for thread in threads { thread.join().unwrap(); }
}
#[test] fn z_runs_last() {}
"#;

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn tests_that_misbehave_do_not_end_the_tool() {
    let manifest = "[package]\nname = \"misbehaving\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[[test]]\nname = \"own\"\nharness = false\n";
    let copy = Subject::with(
        "misbehaving",
        &[
            ("Cargo.toml", manifest),
            ("src/lib.rs", MISBEHAVING),
            ("tests/own.rs", "fn main() { panic!() }"),
        ],
    );
    let run = copy
        .contest(&["test", "--message-format", "json"])
        .status(1);
    let results = run.tests();
    assert_eq!(
        run.tests_that("ok"),
        [
            "changes_the_directory",
            "finds_its_directory",
            "panics_as_it_should",
            "plain",
            "sleeps_for_an_hour",
            "statics_are_put_back",
            "takes_long_if_it_is_watched",
            "writes_a_file",
            "z_runs_last"
        ]
    );
    assert_eq!(
        run.tests_that("failed"),
        [
            "aborts",
            "exits",
            "fails_always",
            "overflows_its_stack",
            "panics_otherwise",
            "returns_an_error"
        ]
    );
    assert_eq!(run.tests_that("fails-sometimes"), ["dies_sometimes"]);
    assert_eq!(run.tests_that("ignored"), ["ignored"]);
    assert_eq!(run.tests_that("not-run"), ["loops_for_ever"]);
    assert_eq!(results["writes_a_file"]["complete"], false);
    let why = |name: &str| results[name]["why"].as_str().unwrap();
    assert!(
        why("writes_a_file").contains("writes files"),
        "{}",
        run.stderr
    );
    assert!(why("ignored").contains("slow"));
    let unwatched = why("takes_long_if_it_is_watched");
    assert!(
        unwatched.contains("memory accesses were not watched"),
        "{unwatched}"
    );
    let left_out = &run.with_reason("left-out")[0];
    assert_eq!(left_out["item"], "test own");
    assert!(
        left_out["why"]
            .as_str()
            .unwrap()
            .contains("harness = false")
    );

    let list = copy.contest(&["test", "--", "--list", "--format", "terse"]);
    let list = list.status(0);
    assert!(list.stdout.contains("plain: test\n"), "{}", list.stdout);
    let run = copy.contest(&["test", "plain"]).status(0);
    assert!(run.stdout.contains("test plain ... ok"), "{}", run.stdout);
    let run = copy.contest(&["test", "nowhere"]).status(4);
    assert!(
        run.stderr.contains("no test of that name"),
        "{}",
        run.stderr
    );
    let run = copy.contest(&["test", "--", "--nonsense"]).status(2);
    assert!(run.stderr.contains("nonsense"), "{}", run.stderr);

    copy.write("tests/other.rs", "#[test] fn of_another_target() {}");
    let run = copy.contest(&["test", "--test", "other"]).status(0);
    let shown = &run.stdout;
    assert!(shown.contains("of_another_target ... ok"), "{shown}");
    assert!(!shown.contains("test plain"), "{shown}");
    let run = copy.contest(&["test", "--test", "nine"]).status(2);
    let said = &run.stderr;
    assert!(said.contains("no test target named `nine`"), "{said}");
}

const MESSAGES: &str = r#"
#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering::{self, Acquire, Relaxed, Release}};
    use std::thread::spawn;

    fn receives(write: Ordering, read: Ordering) {
        let message = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
        let other = Arc::clone(&message);
        let sender = spawn(move || {
            other.0.store(7, Relaxed);
            other.1.store(1, write);
        });
        if message.1.load(read) == 1 {
            assert_eq!(message.0.load(Relaxed), 7);
        }
        sender.join().unwrap();
    }

    #[test] fn published_too_weakly() { receives(Relaxed, Relaxed) }
    #[test] fn published_too_weakly_to_a_test_that_ends_first() {
        let message = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
        let other = Arc::clone(&message);
        spawn(move || {
            other.0.store(7, Relaxed);
            other.1.store(1, Relaxed);
        });
        if message.1.load(Relaxed) == 1 {
            assert_eq!(message.0.load(Relaxed), 7);
        }
    }
    #[test] fn published() { receives(Release, Acquire) }
    #[test] fn published_beside_a_socket() {
        let _ends = std::os::unix::net::UnixStream::pair().unwrap();
        receives(Release, Acquire)
    }
    #[test] fn published_before_time_passes() {
        let ready = Arc::new(AtomicU32::new(0));
        let theirs = Arc::clone(&ready);
        let thread = spawn(move || theirs.store(1, Relaxed));
        std::thread::sleep(std::time::Duration::from_secs(1));
        assert_eq!(ready.load(Relaxed), 1);
        thread.join().unwrap();
    }
    #[test] fn parked_at_a_futex() {
        const FUTEX: i64 = if cfg!(target_arch = "x86_64") { 202 } else { 98 };
        extern "C" { fn syscall(number: i64, ...) -> i64; }
        let word = Arc::new(AtomicU32::new(1));
        let other = Arc::clone(&word);
        let thread = spawn(move || {
            other.store(0, Relaxed);
            unsafe { syscall(FUTEX, other.as_ptr(), 129, 1) };
        });
        let mut waits = 0;
        while word.load(Relaxed) == 1 {
            assert_eq!(waits, 0, "the kernel has read 0");
            waits += 1;
            unsafe { syscall(FUTEX, word.as_ptr(), 128, 1, std::ptr::null::<u8>()) };
        }
        thread.join().unwrap();
    }
    #[test] fn locked() {
        let sum = Arc::new(std::sync::Mutex::new(0));
        let other = Arc::clone(&sum);
        let thread = spawn(move || *other.lock().unwrap() += 1);
        *sum.lock().unwrap() += 1;
        thread.join().unwrap();
        assert_eq!(*sum.lock().unwrap(), 2);
    }
}
"#;

#[test]
fn orderings_that_are_too_weak_for_a_test_are_found_and_the_others_explored_whole() {
    let manifest = "[package]\nname = \"messages\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let copy = Subject::with(
        "messages",
        &[("Cargo.toml", manifest), ("src/lib.rs", MESSAGES)],
    );
    let json = ["test", "--message-format", "json"];
    let run = copy.contest(&json).status(1);
    let results = run.tests();
    let weak = &results["tests::published_too_weakly"];
    assert_eq!(weak["result"], "fails-sometimes", "{}", run.stderr);
    let findings = run.with_reason("finding");
    let of_weak = |it: &&Value| it["test"] == "tests::published_too_weakly";
    let finding = findings.iter().find(of_weak).unwrap();
    let details = finding["details"].to_string();
    assert!(details.contains("src/lib.rs:13"), "{finding}");
    // Where the test may end before the other thread writes, too.
    let ends_first = &results["tests::published_too_weakly_to_a_test_that_ends_first"];
    assert_eq!(ends_first["result"], "fails-sometimes", "{ends_first}");
    let strong = &results["tests::published"];
    assert_eq!(strong["result"], "ok");
    assert_eq!(strong["complete"], true);
    assert_eq!(strong["rc11"]["complete"], true, "{strong}");
    // A store reaches all threads before time passes, and what the kernel has read is no longer missed.
    for name in ["published_before_time_passes", "parked_at_a_futex"] {
        let after = &results[&format!("tests::{name}")];
        assert_eq!(after["result"], "ok", "{after}");
        assert!(after["rc11"]["executions"].as_u64().unwrap() > 0, "{after}");
    }
    // What is left out of it is named.
    let left_out = &results["tests::published_beside_a_socket"]["rc11"];
    assert_eq!(left_out["complete"], false, "{left_out}");
    assert!(left_out["why"].as_str().unwrap().contains("descriptors"));
    // Locks only: another model makes no difference.
    assert!(results["tests::locked"]["rc11"].is_null());
    let token = finding["schedule"].as_str().unwrap();
    copy.contest(&["replay", token]).status(1);

    let sequential = [&json[..], &["--memory-model", "sc"]].concat();
    copy.contest(&sequential).status(0);
    let chosen = copy.contest(&["test", "--strategy", "random", "published"]);
    let shown = chosen.status(0).stdout;
    assert!(shown.contains("not explored under RC11"), "{shown}");
    let unknown = copy.contest(&["test", "--memory-model", "tso"]).status(2);
    assert!(unknown.stderr.contains("rc11"), "{}", unknown.stderr);
}

const OUT_OF_BOUNDS: &str = r#"
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// Gives out its items, one after another.
pub struct Items { items: Box<[u32]>, given: AtomicUsize }

impl Items {
    pub fn new(number: usize) -> Self { Self { items: vec![7; number].into(), given: AtomicUsize::new(0) } }
    pub fn is_empty(&self) -> bool { self.given.load(SeqCst) >= self.items.len() }
    pub fn next(&self) -> u32 { self.at(self.given.fetch_add(1, SeqCst) as isize) }
    fn at(&self, index: isize) -> u32 { unsafe { *self.items.as_ptr().offset(index) } }
}

#[cfg(test)]
mod tests {
    use super::Items;

    fn both_take(number: usize) {
        let items = Items::new(number);
        std::thread::scope(|scope| {
            scope.spawn(|| if !items.is_empty() { items.next(); });
            if !items.is_empty() { items.next(); }
        });
    }

    #[test] fn behind_if_both_look_first() { both_take(1) }
    #[test] fn never_behind() { both_take(2) }
    #[test] fn behind_whoever_runs() { let items = Items::new(1); items.next(); items.next(); }
    #[test] fn before_the_first_block() { Items::new(1).at(-1); }
}
"#;

#[test]
fn accesses_out_of_bounds_are_findings_of_a_test() {
    let manifest = "[package]\nname = \"items\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let copy = Subject::with(
        "items",
        &[("Cargo.toml", manifest), ("src/lib.rs", OUT_OF_BOUNDS)],
    );
    let run = copy.contest(&["test", "--message-format", "json"]);
    let run = run.status(1);
    assert_eq!(run.tests_that("ok"), ["tests::never_behind"]);
    assert_eq!(run.tests_that("fails-sometimes").len(), 3, "{}", run.stderr);
    assert_eq!(run.kinds(), ["out-of-bounds"]);
    let findings = run.with_reason("finding");
    let of_both = |it: &&Value| it["test"] == "tests::behind_if_both_look_first";
    let finding = findings.iter().find(of_both).unwrap();
    let locations = finding["locations"].to_string();
    assert!(locations.contains("src/lib.rs:8:"), "{finding}");
    assert!(locations.contains("src/lib.rs:11:"), "{finding}");
    let token = finding["schedule"].as_str().unwrap();
    let again = copy.contest(&["replay", token]).status(1);
    assert!(again.stdout.contains("behind a block"), "{}", again.stdout);
}

#[test]
fn a_typed_scenario_shows_all_outcomes_and_which_are_wrong() {
    let copy = Subject::copy("faulty/set_and_inc");
    let library = copy.read("src/lib.rs");
    assert!(library.contains("pub fn inc"), "{library}");
    copy.contest(&["run", "--budget", "100ms", "--no-emit"]);
    let drivers = target_directory().join("contest/driver");
    let driver = drivers.join("faulty-set-and-inc-0.1.0/contest-driver.rs");
    let of_types = std::fs::read_to_string(&driver).unwrap();
    let scenario = "let c = Counter::new(); c.inc() | c.set(5); c.get()";
    let run = copy
        .contest(&["try", scenario, "--message-format", "json"])
        .status(1);
    let outcomes = run.with_reason("outcome");
    assert!(outcomes.len() >= 2, "{}", run.stderr);
    assert!(outcomes.iter().any(|it| it["bug"] == true));
    assert!(outcomes.iter().any(|it| it["judgement"] == "linearizable"));
    let summary = &run.with_reason("try-summary")[0];
    assert_eq!(summary["complete"], true, "{summary}");
    let token = run.with_reason("finding")[0]["schedule"].clone();
    copy.contest(&["replay", token.as_str().unwrap()]).status(1);
    // The driver of the types is still there, and need not be linked again.
    assert_eq!(of_types, std::fs::read_to_string(&driver).unwrap());

    let run = copy.contest(&["try", "let c = Counter::new(); c.inc() | c.nothing()"]);
    let run = run.status(2);
    assert!(run.stderr.contains("does not compile"), "{}", run.stderr);
    assert!(run.stderr.contains("nothing"), "{}", run.stderr);
    copy.contest(&["try", "c.inc()"]).status(2);

    let run = copy.contest(&["try", scenario, "--emit"]).status(1);
    let name = "contest_scenario_non_linearizable_1";
    assert!(
        run.stdout.contains(&format!("tests/{name}.rs")),
        "{}",
        run.stdout
    );
    let run = copy.contest(&["test", "--emitted"]).status(1);
    let failed = format!("test {name} ... FAILED: non-linearizable");
    assert!(run.stdout.contains(&failed), "{}", run.stdout);
    // It compiles without the tool, and compares no results.
    copy.cargo(&["test", "--test", name]).status(0);
}

#[test]
#[ignore = "it waits twice for a minute: run every week"]
fn children_that_misbehave_end_an_execution_and_say_so() {
    let source = r#"
        use std::io::{copy, sink, Read};
        use std::process::{Command, Stdio};

        fn piped(script: &str) -> Command {
            let mut command = Command::new("sh");
            command.arg("-c").arg(script).stdin(Stdio::null()).stdout(Stdio::piped());
            command
        }

        #[test]
        fn never_ends() {
            let _ = Command::new("sleep").arg("100000").status();
        }

        #[test]
        fn never_says_anything() {
            let mut child = piped("exec sleep 100000").spawn().unwrap();
            let _ = child.stdout.take().unwrap().read_to_end(&mut Vec::new());
        }

        #[test]
        fn writes_a_gigabyte() {
            let mut child = piped("exec head -c 1000000000 /dev/zero").spawn().unwrap();
            let bytes = copy(&mut child.stdout.take().unwrap(), &mut sink()).unwrap();
            assert_eq!(bytes, 1_000_000_000);
            assert!(child.wait().unwrap().success());
        }

        #[test]
        fn leaves_one_with_all_descriptors() {
            let output = piped("sleep 0.3 & echo started").output().unwrap();
            assert_eq!(output.stdout, b"started\n");
        }

        #[test]
        fn is_left_behind() {
            let child = Command::new("sleep").arg("100000").spawn().unwrap();
            println!("{}", child.id());
        }

        #[test]
        fn a_deadlock_beside_a_child() {
            let _child = Command::new("sleep").arg("100000").spawn().unwrap();
            let (_sender, receiver) = std::sync::mpsc::channel::<()>();
            let _ = receiver.recv();
        }
    "#;
    let manifest = "[package]\nname = \"bad-children\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let files = [("Cargo.toml", manifest), ("src/lib.rs", source)];
    let copy = Subject::with("bad-children", &files);
    let run = copy
        .contest(&["test", "--message-format", "json"])
        .status(1);
    let tests = run.tests();
    let text = |name: &str, key: &str| tests[name][key].as_str().unwrap_or_default().to_owned();
    for name in ["never_ends", "never_says_anything"] {
        assert_eq!(text(name, "result"), "not-run", "{tests:#?}");
        assert!(
            text(name, "why").contains("did nothing for 60 s"),
            "{tests:#?}"
        );
    }
    for name in [
        "writes_a_gigabyte",
        "leaves_one_with_all_descriptors",
        "is_left_behind",
    ] {
        assert_eq!(text(name, "result"), "ok", "{tests:#?}");
    }
    assert_eq!(
        text("a_deadlock_beside_a_child", "result"),
        "failed",
        "{tests:#?}"
    );
    assert!(
        text("a_deadlock_beside_a_child", "why").contains("deadlock"),
        "{tests:#?}"
    );
}
