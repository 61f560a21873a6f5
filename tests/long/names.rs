//! Reports name what a dependency's lock keeps inside by the field that has the lock.

use crate::support::Subject;

const MANIFEST: &str = r#"
[package]
name = "locks"
version = "0.1.0"
edition = "2021"

[dependencies]
parking_lot = "0.12"
tokio = { version = "1", features = ["sync"] }
"#;

const SOURCE: &str = r"
/// Locks of tokio, taken in both orders.
pub struct Registry {
    first: tokio::sync::Mutex<u32>,
    last: tokio::sync::Mutex<u32>,
}

impl Registry {
    pub fn new() -> Self {
        Self { first: tokio::sync::Mutex::new(0), last: tokio::sync::Mutex::new(0) }
    }

    pub async fn forth(&self) {
        let mut first = self.first.lock().await;
        *self.last.lock().await += 1;
        *first += 1;
    }

    pub async fn back(&self) {
        let mut last = self.last.lock().await;
        *self.first.lock().await += 1;
        *last += 1;
    }
}

/// The same of parking_lot, whose locks are known.
#[derive(Default)]
pub struct Parked {
    first: parking_lot::Mutex<u32>,
    last: parking_lot::Mutex<u32>,
}

impl Parked {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn forth(&self) {
        let mut first = self.first.lock();
        *self.last.lock() += 1;
        *first += 1;
    }

    pub fn back(&self) {
        let mut last = self.last.lock();
        *self.first.lock() += 1;
        *last += 1;
    }
}
";

#[test]
#[ignore = "`.ci/run` has no time for it: run every week"]
fn locks_of_dependencies_are_the_fields_that_they_are_in_and_waits_say_who_has_them() {
    let copy = Subject::empty();
    copy.write("Cargo.toml", MANIFEST);
    copy.write("src/lib.rs", SOURCE);
    let line = |what: &str| {
        let line = SOURCE.lines().position(|line| line.contains(what));
        format!("src/lib.rs:{}:", line.unwrap() + 1)
    };
    for (name, waits, of, taken) in [
        (
            "Registry",
            "awaits a future of",
            " (last changed by thread ",
            [
                "let mut first = self.first.lock().await",
                "let mut last = self.last.lock().await",
            ],
        ),
        (
            "Parked",
            "waits for",
            ", held by thread ",
            [
                "let mut first = self.first.lock();",
                "let mut last = self.last.lock();",
            ],
        ),
    ] {
        let run = copy.contest(&[name, "--budget", "3s", "--no-emit", "--fail-fast"]);
        let text = run.status(1).stdout;
        for (field, taken) in ["first", "last"].into_iter().zip(taken) {
            let (field, at) = (format!("{name}.{field}"), line(taken));
            let wanted = format!("{waits} {field}{of}");
            let said = text.lines().find(|line| line.contains(&wanted));
            let said = said.unwrap_or_else(|| panic!("{wanted}:\n{text}"));
            // Where the other thread took it.
            assert!(said.contains(&format!(" {at}")), "{said}");
        }
        let is_folded = text.contains(" steps on");
        assert_eq!(is_folded, name == "Registry", "{text}");
        assert!(
            !text.contains("atomic#") && !text.contains("Mutex#"),
            "{text}"
        );
    }
}
