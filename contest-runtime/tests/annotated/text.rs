//! What a failure says: the tables, the schedule, how to run it again; and that the variables of the environment are
//! heard.

use std::process::Command;
use std::time::Duration;

use crate::subjects::{Exact, Lossy};

/// Run by the tests below in a process of its own.
#[test]
#[ignore = "fails by design"]
fn fails_by_design() {
    contest::check::<Lossy>().without_regressions().run();
}

/// A lock that the scheduler does not see, in an annotated type.
#[contest::shared]
struct Blind {
    #[contest(plain)]
    lock: std::sync::Mutex<u32>,
    seen: std::sync::Mutex<u32>,
}

// Without `operations` nothing is rewritten in it, so it is made by hand.
#[contest::operations(plain(Mutex))]
impl Blind {
    pub(crate) fn new() -> Self {
        Self {
            lock: std::sync::Mutex::new(0),
            seen: contest::sync::Mutex::new(0),
        }
    }

    pub(crate) fn add(&self) {
        let mut real = self.lock.lock().unwrap();
        *self.seen.lock().unwrap() += 1;
        *real += 1;
    }
}

/// Likewise.
#[test]
#[ignore = "ends the process"]
fn blocks_for_real() {
    contest::check::<Blind>()
        .hang_limit(Duration::from_millis(300))
        .without_regressions()
        .run();
}

/// Likewise.
#[test]
#[ignore = "run with other variables"]
fn passes_after_a_while() {
    contest::check::<Exact>()
        .budget(Duration::from_secs(3600))
        .strategy("random")
        .without_regressions()
        .run();
}

fn run(test: &str, variables: &[(&str, &str)]) -> (bool, String) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([test, "--ignored", "--nocapture", "--exact"])
        .env_remove("CONTEST_REPLAY")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[test]
fn a_failure_shows_the_calls_the_interleaving_and_how_to_run_it_again() {
    let (passed, text) = run("text::fails_by_design", &[]);
    assert!(!passed);
    for part in [
        "contest found a bug in `Lossy` (non-linearizable)",
        "let a = Lossy::new();",
        "| a.add() ",
        "Lossy.count.load() -> 0",
        "Lossy.count.store(1)",
        "tests/annotated/subjects.rs:",
        "cargo test text::fails_by_design -- --exact --nocapture",
    ] {
        assert!(text.contains(part), "`{part}` in {text}");
    }
    let token = text.split("CONTEST_REPLAY=").nth(1).expect("a token");
    let token = token.split(' ').next().unwrap();
    let (passed, again) = run("text::fails_by_design", &[("CONTEST_REPLAY", token)]);
    assert!(
        !passed && again.contains("contest found a bug in `Lossy`"),
        "{again}"
    );
    let damaged = &token[..token.len() - 4];
    let (passed, refused) = run("text::fails_by_design", &[("CONTEST_REPLAY", damaged)]);
    assert!(!passed && refused.contains("copy it whole"), "{refused}");
}

#[test]
fn the_budget_of_the_environment_goes_before_that_of_the_test() {
    let (passed, text) = run(
        "text::passes_after_a_while",
        &[("CONTEST_BUDGET", "200ms"), ("CONTEST_SEED", "3")],
    );
    assert!(
        passed && text.contains("contest: no bug found. Exact: "),
        "{text}"
    );
    let (passed, text) = run("text::passes_after_a_while", &[("CONTEST_BUDGET", "soon")]);
    assert!(
        !passed && text.contains("CONTEST_BUDGET=soon is no time"),
        "{text}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_lock_that_is_not_annotated_and_blocks_for_real_ends_the_process_and_is_named() {
    let (passed, text) = run("text::blocks_for_real", &[]);
    assert!(!passed);
    for part in [
        "blocks in a call that the scheduler does not see",
        "in a type that is not annotated",
        "Blind",
        "tests/annotated/text.rs",
    ] {
        assert!(text.contains(part), "`{part}` in {text}");
    }
}
