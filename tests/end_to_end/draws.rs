//! Random numbers: what depends on them is run under several draws, and the claim says under how many.

use serde_json::Value;

use crate::support::{Run, Subject};

const MANIFEST: &str = "[package]\nname = \"draws\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

const LIBRARY: &str = r#"
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io::Read;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// A random number, made of the keys of a hasher.
pub fn random() -> u64 { RandomState::new().build_hasher().finish() }

/// A random byte from the device.
pub fn byte() -> u8 {
    let mut byte = [0];
    File::open("/dev/urandom").unwrap().read_exact(&mut byte).unwrap();
    byte[0]
}

/// What the first of two branches that are ready gives.
pub fn select() -> u32 { if random() % 2 == 0 { 1 } else { 2 } }

/// A map whose order nothing depends on.
#[derive(Default)]
pub struct Names(Mutex<HashMap<u32, u32>>);

impl Names {
    pub fn new() -> Self { Self::default() }
    pub fn put(&self, key: u32) -> Option<u32> { self.0.lock().unwrap().insert(key, key) }
    pub fn count(&self) -> usize { self.0.lock().unwrap().len() }
    pub fn first(&self) -> Option<u32> { self.0.lock().unwrap().keys().next().copied() }
    pub fn both(&self) -> Vec<u32> {
        let mut all = self.0.lock().unwrap();
        all.extend([(0, 0), (1, 1)]);
        all.keys().copied().collect()
    }
}

macro_rules! counter {
    ($name:ident, $torn:literal) => {
        /// Counts in two steps if chance has it so.
        pub struct $name { torn: bool, count: AtomicU32 }
        impl $name {
            pub fn new() -> Self { Self { torn: random() % 2 == $torn, count: AtomicU32::new(0) } }
            pub fn add(&self) -> u32 {
                if !self.torn { return self.count.fetch_add(1, SeqCst); }
                let before = self.count.load(SeqCst);
                self.count.store(before + 1, SeqCst);
                before
            }
            pub fn twice(&self) { self.count.store(1, SeqCst); self.count.store(2, SeqCst); }
            pub fn check(&self) { let seen = self.count.load(SeqCst); assert!(!self.torn || seen != 1); }
        }
    };
}
counter!(Even, 0);
counter!(Odd, 1);

#[derive(Default)]
pub struct Plain(AtomicU32);

impl Plain {
    pub fn new() -> Self { Self::default() }
    pub fn add(&self) -> u32 { self.0.fetch_add(1, SeqCst) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn first_branch() { assert_eq!(select(), 1); }

    #[test]
    fn second_branch() { assert_eq!(select(), 2); }

    #[test]
    fn first_branch_beside_a_thread() {
        let other = thread::spawn(|| {});
        assert_eq!(select(), 1);
        other.join().unwrap();
    }

    #[test]
    fn either_branch() { assert!(matches!(select(), 1 | 2)); }

    #[test]
    fn no_branch() { assert_eq!(select(), 3); }

    #[test]
    fn low_byte() { assert!(byte() < 128); }

    #[test]
    fn any_byte() { assert!(u32::from(byte()) < 256); }

    #[test]
    fn order_of_a_map() { assert!(Names::new().both().is_sorted()); }

    #[test]
    fn a_map_of_two_threads() {
        let names = Arc::new(Names::new());
        let other = names.clone();
        let other = thread::spawn(move || other.put(1));
        names.put(2);
        other.join().unwrap();
        assert_eq!(names.count(), 2);
    }

    #[test]
    fn nothing_is_drawn() {
        let plain = Arc::new(Plain::new());
        let other = plain.clone();
        let other = thread::spawn(move || other.add());
        plain.add();
        other.join().unwrap();
    }
}
"#;

fn subject() -> Subject {
    Subject::with(
        "draws",
        &[("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY)],
    )
}

/// The finding of a test of this name.
fn finding<'r>(findings: &'r [Value], test: &str) -> &'r Value {
    let of_test = |it: &&Value| it["type"] == format!("tests::{test}");
    findings.iter().find(of_test).unwrap()
}

fn tests(run: &Run) -> impl Fn(&str) -> Value {
    let lines = run.with_reason("test");
    move |name| {
        let of_test = |it: &&Value| it["name"] == format!("tests::{name}");
        lines.iter().find(of_test).unwrap().clone()
    }
}

#[test]
fn a_test_that_one_draw_passes_and_another_one_fails_fails_sometimes() {
    let subject = subject();
    let run = subject.contest(&["test", "--message-format", "json"]);
    let run = run.status(1);
    let test = tests(&run);
    let findings = run.with_reason("finding");
    let by_chance = [
        "first_branch",
        "second_branch",
        "first_branch_beside_a_thread",
        "low_byte",
        "order_of_a_map",
    ];
    for name in by_chance {
        let result = test(name);
        assert_eq!(result["result"], "fails-sometimes", "{name}: {result}");
        assert_eq!(result["complete"], false, "{name}: {result}");
        let gap = &result["gaps"][0]["randomness"];
        assert!(gap.as_u64().is_some_and(|draws| draws > 2), "{result}");
    }
    for name in ["first_branch", "second_branch", "low_byte"] {
        let finding = finding(&findings, name);
        assert!(finding["executions"].as_u64().unwrap() <= 17, "{finding}");
        let details = finding["details"].to_string();
        assert!(details.contains("random numbers decide"), "{details}");
        let token = finding["schedule"].as_str().unwrap();
        for _ in 0..2 {
            let again = subject.contest(&["replay", token]).status(1);
            assert!(again.stdout.contains("panicked at"), "{}", again.stdout);
        }
    }
}

#[test]
fn an_emitted_test_of_a_draw_has_the_level_of_its_kind() {
    let subject = subject();
    let warned = ["--warn", "randomness"];
    subject.contest(&[&["test", "low_byte", "--emit"], &warned[..]].concat());
    let again = |levels: &[&str]| {
        let run = subject.contest(&[&["test", "--emitted"], levels].concat());
        run.text()
    };
    let said = again(&warned);
    assert!(said.contains("ok, with a warning: randomness: "), "{said}");
    let said = again(&["--allow", "panic"]);
    assert!(said.contains("FAILED: randomness: "), "{said}");
}

#[test]
fn what_holds_for_each_draw_is_complete_under_the_draws_that_were_run() {
    let subject = subject();
    let run = subject.contest(&["test", "--message-format", "json"]);
    let test = tests(&run);
    for (name, result, draws) in [
        // With one thread there is nothing else to explore.
        ("either_branch", "ok", 17..=u64::MAX),
        ("no_branch", "failed", 17..=u64::MAX),
        ("a_map_of_two_threads", "ok", 2..=2),
        ("nothing_is_drawn", "ok", 0..=0),
    ] {
        let line = test(name);
        assert_eq!(line["result"], result, "{line}");
        assert_eq!(line["complete"], true, "{line}");
        assert!(draws.contains(&line["draws"].as_u64().unwrap()), "{line}");
    }
    // Who reads random numbers wants them to matter: no number of them is all.
    let bytes = test("any_byte");
    assert_eq!(
        (&bytes["result"], &bytes["complete"]),
        (&"ok".into(), &false.into()),
        "{bytes}"
    );
    let draws = bytes["draws"].as_u64().unwrap();
    assert!(draws > 16, "what draws numbers is run often: {bytes}");
    let why = bytes["why"].as_str().unwrap();
    assert!(
        why.starts_with("random numbers were drawn: ") && why.ends_with(" of many draws were run"),
        "{why}"
    );
    let summary = &run.with_reason("test-summary")[0];
    assert_eq!(
        (&summary["complete"], &summary["drew"]),
        (&4.into(), &3.into()),
        "{summary}"
    );

    let run = subject.contest(&["test"]);
    for part in [
        "a_map_of_two_threads ... ok (",
        "every interleaving, under 2 draws of random numbers)",
        "of many draws were run)",
        "(2 have one thread only, 3 draw random numbers and were run under some draws of them)",
    ] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    let mut lines = run.stdout.lines();
    let line = lines
        .find(|it| it.contains("either_branch ... ok ("))
        .unwrap();
    let draws = line.split("every interleaving, under ").nth(1).unwrap();
    let draws: u64 = draws.split(' ').next().unwrap().parse().unwrap();
    assert!(draws > 16, "{line}");
}

#[test]
fn an_object_that_chance_makes_wrong_is_found_under_the_draw_that_does() {
    let subject = subject();
    let tried = |scenario: &str| {
        subject.contest(&[
            "try",
            scenario,
            "--strategy",
            "dpor",
            "--message-format",
            "json",
        ])
    };
    for counter in ["Even", "Odd"] {
        let run = tried(&format!("let c = {counter}::new(); c.add() | c.add()")).status(1);
        let token = run.with_reason("finding")[0]["schedule"].clone();
        let again = subject.contest(&["replay", token.as_str().unwrap()]);
        let again = again.status(1).stdout;
        assert!(again.contains("non-linearizable"), "{again}");

        let run = tried(&format!("let c = {counter}::new(); c.twice() | c.check()")).status(1);
        let details = run.with_reason("finding")[0]["details"].to_string();
        assert!(details.contains("random numbers decide"), "{details}");
    }
    let claim = |scenario: &str| {
        let summary = tried(scenario).with_reason("try-summary")[0].clone();
        (summary["complete"].clone(), summary["draws"].clone())
    };
    let map = "let n = Names::new(); n.put(1) | n.count()";
    assert_eq!(claim(map), (true.into(), 2.into()));
    let order = "let n = Names::new(); n.both() | n.count()";
    assert_eq!(claim(order), (false.into(), 2.into()));
    let plain = "let p = Plain::new(); p.add() | p.add()";
    assert_eq!(claim(plain), (true.into(), 0.into()));
    let text = subject.contest(&["try", map]).stdout;
    assert!(
        text.contains("can make a difference, under 2 draws of random numbers"),
        "{text}"
    );
}

#[test]
fn a_campaign_says_of_a_map_under_how_many_draws_it_was_explored() {
    let subject = subject();
    let run = subject.contest(&[
        "Names",
        "Plain",
        "--budget",
        "5s",
        "--no-emit",
        "--message-format",
        "json",
    ]);
    let summary = run.summary();
    let types = summary["ladder"].as_array().unwrap();
    let first_rung = |name: &str| {
        let of_name = |it: &&Value| it["type"].as_str().unwrap().contains(name);
        types.iter().find(of_name).unwrap()["rungs"][0].clone()
    };
    let plain = first_rung("Plain");
    assert_eq!(plain["complete_drew"], 0, "{plain}");
    let statement = |rung: &Value| rung["statement"].as_str().unwrap_or_default().to_owned();
    assert!(
        statement(&plain).ends_with("in every interleaving"),
        "{plain}"
    );
    let names = first_rung("Names");
    assert!(names["complete_drew"].as_u64().unwrap() > 0, "{names}");
    assert!(
        !statement(&names).ends_with("in every interleaving"),
        "{names}"
    );
}
