//! Tests that are emitted into a crate with annotated types run under plain `cargo test`.

use super::checkout;
use super::support::Crate;

const SOURCE: &str = "\
//! A counter.

use std::sync::Mutex;

/// Counts.
#[contest::shared]
#[derive(Debug)]
pub struct Counter {
    value: Mutex<u32>,
}

#[contest::operations]
impl Counter {
    /// At zero.
    pub fn new() -> Self {
        Self { value: Mutex::new(0) }
    }

    /// One more.
    pub fn increment(&self) -> u32 {
        let seen = *self.value.lock().unwrap();
        *self.value.lock().unwrap() = seen + 1;
        seen + 1
    }
}
";

fn counter() -> Crate {
    let it =
        Crate::new("[package]\nname = \"counting\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    it.write("src/lib.rs", SOURCE);
    it.init(&["--yes", "--path", checkout().to_str().unwrap()])
        .status(0);
    it
}

#[test]
#[ignore = "it builds a crate with the runtime three times, which takes minutes: run every week"]
fn an_emitted_test_fails_before_the_fix_passes_after_it_and_stays_as_it_is() {
    const FILE: &str = "tests/contest_counter_non_linearizable_1.rs";
    const TEST: &[&str] = &["test", "--test", "contest_counter_non_linearizable_1"];
    let it = counter();
    it.contest(&["--emit", "--fail-fast"]).status(1);
    let text = it.read(FILE);
    for part in [
        "contest::emitted! {",
        "objects {",
        "a: counting::Counter = ",
        "thread {\n            a.increment();",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }

    let run = it.cargo(TEST).status(101);
    assert!(run.stdout.contains("non-linearizable"), "{}", run.stdout);
    assert!(!run.stderr.contains("warning: unused"), "{}", run.stderr);
    assert!(
        !run.stdout.contains("searched"),
        "the interleaving is not in the file: {}\n{text}",
        run.stdout
    );

    // Edited by hand: never overwritten.
    let edited = text.replace("// Expected:", "// What we want:");
    assert_ne!(edited, text);
    it.write(FILE, &edited);
    it.contest(&["--emit", "--fail-fast"]).status(1);
    assert_eq!(it.read(FILE), edited);

    // With an edit that has nothing to do with it.
    let other = SOURCE.replace(
        "    /// One more.",
        "    /// The value.\n    pub fn get(&self) -> u32 {\n        *self.value.lock().unwrap()\n    }\n\n    /// One more.",
    );
    it.write("src/lib.rs", &other);
    let run = it.cargo(TEST).status(101);
    assert!(!run.stdout.contains("searched"), "{}", run.stdout);

    let mended = SOURCE.replace(
        "        let seen = *self.value.lock().unwrap();\n        *self.value.lock().unwrap() = seen + 1;\n        seen + 1",
        "        let mut value = self.value.lock().unwrap();\n        *value += 1;\n        *value",
    );
    assert_ne!(mended, SOURCE);
    it.write("src/lib.rs", &mended);
    let run = it.cargo(&[TEST, &["--", "--nocapture"]].concat()).status(0);
    assert!(run.stderr.contains("no bug found"), "{}", run.stderr);

    if it.cargo(&["nextest", "--version"]).status == 0 {
        let nextest = || it.cargo(&[&["nextest", "run"], &TEST[1..]].concat());
        nextest().status(0);
        it.write("src/lib.rs", SOURCE);
        nextest().status(100);
    }
}
