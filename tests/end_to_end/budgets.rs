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
