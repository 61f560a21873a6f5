//! `cargo contest nextest` and `cargo contest merge`.

use std::path::Path;
use std::process::Command;

use crate::support::{Subject, run, tool};

const LIBRARY: &str = r#"
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread::spawn;

#[derive(Default)]
pub struct Accounts { checking: Mutex<u32>, savings: Mutex<u32> }

impl Accounts {
    pub fn save(&self) -> u32 { let from = self.checking.lock().unwrap(); *from + *self.savings.lock().unwrap() }
    pub fn spend(&self) -> u32 { let from = self.savings.lock().unwrap(); *from + *self.checking.lock().unwrap() }
}

#[cfg(test)]
fn counts(add: fn(&AtomicU32)) -> u32 {
    let count = Arc::new(AtomicU32::new(0));
    let other = Arc::clone(&count);
    let thread = spawn(move || add(&other));
    add(&count);
    thread.join().unwrap();
    count.load(SeqCst)
}

#[test] fn counts_by_luck() {
    assert_eq!(counts(|it| { let before = it.load(SeqCst); it.store(before + 1, SeqCst) }), 2);
}
#[test] fn counts_always() { assert_eq!(counts(|it| { it.fetch_add(1, SeqCst); }), 2); }
#[test] fn has_one_thread() {}
#[test] #[ignore] fn is_ignored() { panic!() }
"#;

/// The command of the example workflow that contains this, without `cargo contest`.
fn command(part: &str) -> String {
    let workflow = include_str!("../../examples/workflows/nextest.yml");
    let commands = workflow
        .lines()
        .filter_map(|line| line.trim().strip_prefix("run: cargo contest "));
    let mut commands = commands.filter(|it| it.contains(part));
    commands.next().expect("the workflow has it").to_owned()
}

fn words(command: &str) -> Vec<&str> {
    command.split(' ').collect()
}

/// True if the tests can run: nextest is not a part of the toolchain.
fn nextest_is_here() -> bool {
    let mut command = Command::new(env!("CARGO"));
    command.args(["nextest", "--version"]);
    let here = command.output().is_ok_and(|it| it.status.success());
    if !here {
        eprintln!("cargo-nextest is not installed: not tested");
    }
    here
}

#[test]
fn partitions_of_an_archive_are_explored_and_merged() {
    if !nextest_is_here() {
        return;
    }
    let copy = Subject::empty();
    let manifest = "[package]\nname = \"parts\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
                    [[test]]\nname = \"plain\"\nharness = false\n";
    copy.write("Cargo.toml", manifest);
    copy.write("src/lib.rs", LIBRARY);
    // It answers as nextest wants, and not as a driver.
    let plain = "fn main() { if std::env::args().any(|it| it == \"--list\") { if !std::env::args().any(|it| it == \"--ignored\") \
                 { println!(\"plain: test\") } } }";
    copy.write("tests/plain.rs", plain);
    let archive = command("archive").replace("--generated", "--generated --part-budget 1s");
    copy.contest(&words(&archive)).status(0);
    let mut failed = 0;
    for part in ["1", "2"] {
        let explore = command("nextest --results").replace("${{ matrix.part }}", part);
        let run = copy.contest(&words(&explore));
        assert!(matches!(run.status, 0 | 1), "{}", run.text());
        failed += run.status;
        let results = format!("part-{part}.jsonl");
        let text = std::fs::read_to_string(copy.directory.join(&results)).unwrap();
        copy.write(&format!("results/{results}"), &text);
    }
    assert_eq!(failed, 2);

    let merged = copy
        .contest(&[&words(&command("merge"))[..], &["--message-format", "json"]].concat())
        .status(1);
    let findings = merged.with_reason("finding");
    assert_eq!(findings.len(), 2, "{}", merged.stderr);
    let of_own_tests = |finding: &&serde_json::Value| finding["test"] == "counts_by_luck";
    let finding = findings.iter().find(of_own_tests).unwrap();
    assert_eq!(finding["package"], "parts 0.1.0");
    let generated = findings.iter().find(|it| !of_own_tests(it)).unwrap();
    assert_eq!(generated["kind"], "deadlock");
    let results = merged.tests();
    for part in 1..=2 {
        let of_part = &results[&format!("contest::parts::Accounts::part_{part}_of_2")];
        assert_eq!(of_part["result"], "fails-sometimes");
        assert!(of_part["executions"].as_u64().unwrap() > 10, "{of_part}");
    }
    let summary = &merged.with_reason("merge-summary")[0];
    assert_eq!(summary["parts"], 2);
    assert_eq!(summary["tests"], 6, "{}", merged.stderr);
    assert_eq!(summary["ok"], 2, "{}", merged.stderr);
    assert_eq!(summary["not_run"], 1, "{}", merged.stderr);
    // What is merged twice is found once.
    let twice = copy
        .contest(&["merge", "results", "part-1.jsonl", "part-2.jsonl"])
        .status(1);
    assert!(twice.stdout.contains("2 findings"), "{}", twice.stdout);
    for finding in [finding, generated] {
        let token = finding["schedule"].as_str().unwrap();
        copy.contest(&["replay", token]).status(1);
    }

    // A part that was killed says so, and nothing is taken for clean.
    copy.write("killed/1.jsonl", "");
    let killed = copy.contest(&["merge", "killed"]).status(4);
    assert!(
        killed.stdout.contains("ends without a summary"),
        "{}",
        killed.stdout
    );
    copy.contest(&["merge", "nowhere"]).status(2);

    // Tests that passed without being explored are no clean result.
    copy.write(
        "tests/emitted.rs",
        "const SCHEDULE: &str = \"c1:AbC\";\n#[test] fn emitted() { assert!(SCHEDULE.len() > 3) }",
    );
    let emitted = copy
        .contest(&["nextest", "run", "--test", "emitted"])
        .status(4);
    assert!(
        emitted.stderr.contains("none of them was explored"),
        "{}",
        emitted.stderr
    );
    // Without the option, the drivers of an earlier command take no part.
    let list = copy.contest(&["nextest", "list"]).status(0);
    assert!(list.stdout.contains("counts_always"), "{}", list.stdout);
    assert!(!list.stdout.contains("contest::"), "{}", list.stdout);
}

#[test]
fn without_nextest_it_says_how_to_install_it() {
    let copy = Subject::empty();
    let manifest = "[package]\nname = \"parts\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    copy.write("Cargo.toml", manifest);
    copy.write("src/lib.rs", "");
    let cargo = Path::new(env!("CARGO"));
    let mut command = tool();
    command
        .args(["contest", "nextest", "run"])
        .current_dir(&copy.directory)
        .env("CARGO", cargo)
        .env("CARGO_HOME", copy.directory.join("home"))
        .env("PATH", cargo.parent().unwrap());
    let run = run(command).status(2);
    assert!(
        run.stderr.contains("cargo install cargo-nextest --locked"),
        "{}",
        run.stderr
    );
}
