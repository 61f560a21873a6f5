//! A finding made by hand, for tests of what is done with findings.

use contest_data::finding::{Finding, FindingKind};

/// Two threads take two locks in opposite order; without the interleaving.
pub(crate) fn deadlock() -> Finding {
    let owned = |texts: &[&str]| texts.iter().map(|&it| it.to_owned()).collect::<Vec<_>>();
    Finding {
        subject: "bank::Accounts".to_owned(),
        details: owned(&[
            "thread 1 in a.transfer(1) waits for Mutex#2",
            "thread 2 in a.audit() waits for Mutex#1",
        ]),
        prefix: owned(&["let a = Accounts::new();"]),
        threads: vec![owned(&["a.transfer(1)"]), owned(&["a.audit()"])],
        locations: owned(&["src/lib.rs:11:28", "src/lib.rs:21:29"]),
        schedule: "c1:AbCd".to_owned(),
        executions: 3,
        elapsed_ms: 12,
        fingerprint: "deadlock src/lib.rs:11:28 src/lib.rs:21:29".to_owned(),
        ..Finding::new(
            FindingKind::Deadlock,
            "threads 1 and 2 wait for each other for ever",
        )
    }
}
