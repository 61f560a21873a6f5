//! Findings made by hand, for the tests of the reporters.

use contest_data::finding::{
    Finding, FindingKind, InterleavingStep, LinkKind, StepEffect, StepFacts, StepLink,
};
use contest_data::test::ConcurrentTest;

/// One step; `result` empty for none.
pub(crate) fn step(
    thread: u16,
    call: Option<u16>,
    event: &str,
    location: &str,
    result: &str,
) -> InterleavingStep {
    InterleavingStep {
        thread,
        call,
        event: event.to_string(),
        caller: None,
        location: location.to_string(),
        result: (!result.is_empty()).then(|| result.to_string()),
        facts: None,
    }
}

fn with(step: InterleavingStep, facts: StepFacts) -> InterleavingStep {
    InterleavingStep {
        facts: Some(facts),
        ..step
    }
}

/// Of a step after which its thread holds this lock, and which waits for the lock that was taken in `waits_for`.
fn facts(number: u32, effect: StepEffect, holds: &str, waits_for: Option<u32>) -> StepFacts {
    let links = waits_for.map(|step| StepLink {
        why: LinkKind::WaitsFor,
        step,
    });
    StepFacts {
        number,
        effect,
        holds: vec![holds.to_owned()],
        links: links.into_iter().collect(),
        ..StepFacts::default()
    }
}

/// Two threads take two locks in opposite order.
pub(crate) fn deadlock() -> Finding {
    Finding {
        subject: "bank::Accounts".to_string(),
        details: vec![
            "thread 1 in a.transfer(1) waits for Mutex#2, held by thread 2 since src/lib.rs:20:26"
                .to_string(),
            "thread 2 in a.audit() waits for Mutex#1, held by thread 1 since src/lib.rs:10:26"
                .to_string(),
        ],
        test: ConcurrentTest {
            subject: 0,
            objects: Vec::new(),
            prefix: Vec::new(),
            threads: Vec::new(),
        },
        prefix: vec!["let a = Accounts::new();".to_string()],
        threads: vec![
            vec!["a.transfer(1)".to_string()],
            vec!["a.audit()".to_string()],
        ],
        locations: vec![
            "src/lib.rs:11:28".to_string(),
            "src/lib.rs:21:29".to_string(),
        ],
        interleaving: vec![
            with(
                step(1, Some(0), "lock Mutex#1", "src/lib.rs:10:26", ""),
                facts(0, StepEffect::Locks, "Mutex#1", None),
            ),
            with(
                step(2, Some(0), "lock Mutex#2", "src/lib.rs:20:26", ""),
                facts(1, StepEffect::Locks, "Mutex#2", None),
            ),
            with(
                step(2, Some(0), "lock Mutex#1", "src/lib.rs:21:29", "<hung>"),
                facts(2, StepEffect::Blocked, "Mutex#2", Some(0)),
            ),
            with(
                step(1, Some(0), "lock Mutex#2", "src/lib.rs:11:28", "<hung>"),
                facts(3, StepEffect::Blocked, "Mutex#1", Some(1)),
            ),
        ],
        schedule: "c1:AbCd".to_string(),
        executions: 3,
        elapsed_ms: 12,
        fingerprint: "deadlock src/lib.rs:11:28 src/lib.rs:21:29".to_string(),
        ..Finding::new(
            FindingKind::Deadlock,
            "threads 1 and 2 wait for each other for ever",
        )
    }
}
