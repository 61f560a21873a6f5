//! Reports name locks, atomics and channels by the fields that they are.

use std::time::Duration;

use serde_json::Value;

use crate::support::{Run, Subject};

/// What a reader sees of a finding: its message, its details, the interleaving.
fn seen(finding: &Value) -> String {
    let steps = finding["interleaving"].as_array().unwrap();
    let events = steps.iter().filter_map(|step| step["event"].as_str());
    let details = finding["details"].as_array().unwrap();
    let details = details.iter().filter_map(Value::as_str);
    let message = finding["message"].as_str();
    let all: Vec<&str> = message.into_iter().chain(details).chain(events).collect();
    all.join("\n")
}

/// The first finding of a type.
#[track_caller]
fn of_type(run: &Run, name: &str) -> Value {
    let mut findings = run.with_reason("finding").into_iter();
    let found = findings.find(|it| it["type"].as_str().unwrap().ends_with(name));
    found.unwrap_or_else(|| panic!("no finding of {name}: {}", run.text()))
}

#[track_caller]
fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn locks_of_a_deadlock_are_named_wherever_they_are() {
    let copy = Subject::copy("faulty/abba");
    let options = ["--message-format", "json", "--fail-fast", "--no-emit"];
    let run = copy.contest(&options).status(1);
    let finding = of_type(&run, "Accounts");
    let text = seen(&finding);
    assert_has(
        &text,
        &[
            "waits for Accounts.savings, held by thread",
            "waits for Accounts.checking, held by thread",
            "Accounts.savings.lock()",
        ],
    );
    assert!(!text.contains("Mutex#"), "{text}");
    let steps = finding["interleaving"].as_array().unwrap();
    let mut facts = steps.iter().map(|step| &step["facts"]);
    let takes = facts.find(|it| it["effect"] == "locks").unwrap();
    let lock = takes["object"].as_str().unwrap();
    assert!(lock.starts_with("Accounts."), "{takes}");
    assert_eq!(takes["field"], lock);
    assert_eq!(takes["holds"][0], lock);
    // In the places that are made from these: what is blocked, when it is run again.
    let token = finding["schedule"].as_str().unwrap();
    let again = copy.contest(&["replay", token]).status(1);
    let waits = "waits for Accounts.checking, held by thread";
    assert_has(&again.stdout, &[waits, "Accounts.savings.lock()"]);
}

#[test]
fn a_condition_variable_and_a_static_have_their_names() {
    let options = ["--message-format", "json", "--budget", "1s", "--no-emit"];
    let run = Subject::copy("faulty/lost_wakeup").contest(&options);
    let text = seen(&of_type(&run.status(1), "Gate"));
    assert_has(
        &text,
        &[
            "waits on Gate.changed, no thread is left to notify it",
            "Gate.open.load() -> 0",
            "Gate.changed.wait(), unlocks Gate.lock",
        ],
    );
    // Without any other thread.
    let run = Subject::copy("faulty/one_wakeup_for_two").contest(&options);
    let alone = run.with_reason("alone").into_iter();
    let alone: Vec<String> = alone.map(|line| line["detail"].to_string()).collect();
    assert_has(&alone.join("\n"), &["waits on Queue.not_"]);
    let run = Subject::copy("faulty/free_functions").contest(&options);
    let run = run.status(1);
    let text = seen(&run.with_reason("finding")[0]);
    assert_has(&text, &["faulty_free_functions::NAMES.lock()"]);
    // The module counts once, by the name that its findings have.
    let summary = run.summary();
    assert_eq!(
        (&summary["types"], &summary["operations"]),
        (&1.into(), &3.into())
    );
}

const MANIFEST: &str = r#"
[package]
name = "fields"
version = "0.1.0"
edition = "2021"
"#;

const SOURCE: &str = r"
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, RwLock};

/// Whose lock it is is not seen from the field alone.
#[derive(Default)]
pub struct Account {
    sum: Mutex<i64>,
}

impl Account {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn pay(&self, to: &Account) {
        if !std::ptr::eq(self, to) {
            let mut from = self.sum.lock().unwrap();
            *to.sum.lock().unwrap() += 1;
            *from -= 1;
        }
    }
}

/// Locks in blocks of their own: the fields lead to them.
pub struct Shared {
    left: Arc<Mutex<u32>>,
    right: Arc<RwLock<u32>>,
}

impl Shared {
    pub fn new() -> Self {
        Self { left: Arc::default(), right: Arc::default() }
    }

    pub fn forth(&self) {
        let left = self.left.lock().unwrap();
        drop((self.right.write().unwrap(), left));
    }

    pub fn back(&self) {
        let right = self.right.write().unwrap();
        drop((self.left.lock().unwrap(), right));
    }
}

struct Shard {
    count: AtomicUsize,
}

/// An item of a `Vec`, and a lock with something at its beginning.
pub struct Table {
    shards: Vec<Shard>,
    locks: Box<[Mutex<Shard>]>,
}

impl Table {
    pub fn new() -> Self {
        let shard = || Shard { count: AtomicUsize::new(0) };
        let locks = [Mutex::new(shard()), Mutex::new(shard())];
        Self { shards: vec![shard(), shard()], locks: Box::new(locks) }
    }

    pub fn count(&self) -> usize {
        self.locks[1].lock().unwrap().count.fetch_add(1, SeqCst);
        let before = self.shards[1].count.load(SeqCst);
        self.shards[1].count.store(before + 1, SeqCst);
        before
    }
}
";

#[test]
fn objects_are_named_by_the_value_the_pointer_and_the_item_that_they_are_in() {
    let copy = Subject::with(
        "fields",
        &[("Cargo.toml", MANIFEST), ("src/lib.rs", SOURCE)],
    );
    let options = ["--message-format", "json", "--no-emit"];
    let run = copy.contest_until(&options, Duration::ZERO, |findings| {
        let is_found = |name: &str| {
            let mut findings = findings.iter();
            findings.any(|it| it["type"].as_str().unwrap().ends_with(name))
        };
        ["Account", "Shared", "Table"].into_iter().all(is_found)
    });
    let run = run.status(1);
    let of_account = seen(&of_type(&run, "Account"));
    assert_has(
        &of_account,
        &[
            "waits for Account.sum#1, held by",
            "waits for Account.sum#2, held by",
        ],
    );
    let of_shared = seen(&of_type(&run, "Shared"));
    assert_has(
        &of_shared,
        &[
            "waits for Shared.left, held",
            "waits for Shared.right, held",
        ],
    );
    let of_table = seen(&of_type(&run, "Table"));
    assert_has(
        &of_table,
        &[
            "Table.shards[1].count.store(1)",
            "Table.locks[1].lock()",
            "Table.locks[1].count.fetch_add() -> 0, now 1",
        ],
    );
}
