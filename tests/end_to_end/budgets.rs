//! Budgets in work: the same result on every machine, whatever else it does meanwhile.

use serde_json::Value;

use crate::support::{Run, Subject};

/// All that a run says of tests and findings.
fn result(run: &Run) -> (Vec<Value>, [Value; 5]) {
    let findings = run.with_reason("finding").into_iter().map(|mut it| {
        it["elapsed_ms"].take();
        it
    });
    let summary = run.summary();
    let keys = [
        "tests",
        "executions",
        "ladder",
        "restarts",
        "types_not_reached",
    ];
    (findings.collect(), keys.map(|key| summary[key].clone()))
}

fn run(subject: &Subject, budget: &str) -> Run {
    let arguments = ["--budget", budget, "--no-emit", "--message-format", "json"];
    subject.contest(&arguments).status(1)
}

fn comes_to_the_same(subject: &Subject, budget: &str) -> Run {
    let alone = run(subject, budget);
    // Each has half of what the first one had, at best.
    let [one, two] = std::thread::scope(|scope| {
        let both = [(); 2].map(|()| scope.spawn(|| run(subject, budget)));
        both.map(|it| it.join().unwrap())
    });
    assert_eq!(result(&alone), result(&one));
    assert_eq!(result(&alone), result(&two));
    alone
}

#[test]
fn a_budget_in_steps_comes_to_the_same_on_a_busy_machine() {
    let run = comes_to_the_same(&Subject::copy("faulty/classics"), "100ksteps");
    assert!(run.with_reason("finding").len() > 1);
    let begins = &run.with_reason("exploring")[0];
    assert_eq!(begins["budget_steps"], 100_000);
    assert_eq!(begins["budget_ms"], Value::Null);
}

/// A type whose tests go on after a test of another type has ended the process.
const DOOR: &str = "
/// A door with a count.
#[derive(Debug, Default)]
pub struct Door {
    passed: AtomicU32,
}

impl Door {
    /// The count is 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds to the count, in two steps.
    pub fn pass(&self, more: u32) {
        let passed = self.passed.load(SeqCst);
        self.passed.store(passed.wrapping_add(more), SeqCst);
    }

    /// The count.
    pub fn passed(&self) -> u32 {
        self.passed.load(SeqCst)
    }
}
";

#[test]
fn what_a_dead_process_has_used_of_a_budget_in_steps_is_used() {
    let subject = Subject::copy("faulty/stack_overflow");
    let both = subject.read("src/lib.rs") + DOOR;
    subject.write("src/lib.rs", &both);
    let run = comes_to_the_same(&subject, "50ksteps");
    assert!(run.summary()["restarts"].as_u64() > Some(0));
    assert!(run.kinds().contains(&"non-linearizable".to_owned()));
}

#[test]
fn members_share_the_steps_and_what_is_left_of_a_short_run_is_exact() {
    let subject = Subject::copy("faulty/workspace");
    let both = ["--workspace", "--budget", "100ksteps", "--no-emit"];
    let run = subject.contest(&both).status(1).text();
    assert_eq!(
        run.matches("exploring for 50,000 steps").count(),
        2,
        "{run}"
    );
    // On a busy machine lines about the progress say the same of tests whose turn has not come.
    let left: Vec<&str> = run.lines().filter(|it| it.starts_with("  left ")).collect();
    assert!(!left.is_empty(), "{run}");
    for line in left {
        let untouched = (1..100).any(|it| line.contains(&format!(": {it} of {it} tests not")));
        assert!(!untouched, "{run}");
    }
}

#[test]
fn a_strategy_that_counts_no_steps_has_a_budget_in_time() {
    let subject = Subject::copy("faulty/abort");
    for strategy in ["stress", "loom"] {
        let refused = subject.contest(&["--budget", "5Msteps", "--strategy", strategy]);
        let said = refused.status(2).text();
        assert!(said.contains("counts no steps"), "{said}");
    }
}

/// One test has far more interleavings than a second is enough for; the others have one each.
const LARGE_TEST: &str = "
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// Adds one, in two steps, again and again.
pub fn count(counter: &AtomicU32) {
    for _ in 0..20 { counter.store(counter.load(SeqCst) + 1, SeqCst) }
}

#[test]
fn one() { count(&AtomicU32::new(0)) }

#[test]
fn a_counter_grows_in_four_threads() {
    let counter = AtomicU32::new(0);
    std::thread::scope(|scope| for _ in 0..4 { scope.spawn(|| count(&counter)); });
    assert!(counter.into_inner() > 0);
}

#[test]
fn another() { count(&AtomicU32::new(1)) }
";

#[test]
fn an_unfinished_test_goes_on_in_the_remaining_time() {
    let manifest =
        "[package]\nname = \"large\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    let files = [("Cargo.toml", manifest), ("src/lib.rs", LARGE_TEST)];
    let subject = Subject::with("large", &files);
    let run = subject
        .contest(&["test", "--budget", "5s"])
        .status(0)
        .text();
    let lines: Vec<&str> = run
        .lines()
        .filter(|it| it.starts_with("running ") || it.starts_with("test "))
        .collect();
    let first = lines.iter().position(|it| *it == "running 3 tests (lib)");
    let again = lines.iter().position(|it| *it == "running 1 test (lib)");
    let (first, again) = (first.expect(&run), again.expect(&run));
    assert_eq!((first, again), (0, 3), "{run}");
    let large: Vec<_> = lines
        .iter()
        .filter(|it| it.contains("four_threads"))
        .collect();
    assert!(large.len() == 1 && large[0].contains("... ok ("), "{run}");
    assert_eq!(lines.get(4), Some(large[0]), "{run}");
}
