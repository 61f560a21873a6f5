//! Objects made of something that their own calls never fill: a bank whose accounts others open.

use crate::support::Subject;

const MANIFEST: &str =
    "[package]\nname = \"tellers\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n";

/// A teller looks and then writes; a patient one does it in turn. Beside them: permits of which there is none left
/// after a call, and a list that refuses small numbers.
const LIBRARY: &str = r#"
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex};

pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub trait Accounts: Send + Sync {
    fn balance(&self, id: u32) -> Later<'_, Option<u64>>;
    fn set(&self, id: u32, balance: u64) -> Later<'_, ()>;
}

#[derive(Default)]
pub struct InMemory(Mutex<HashMap<u32, u64>>);

impl Accounts for InMemory {
    fn balance(&self, id: u32) -> Later<'_, Option<u64>> {
        Box::pin(async move { self.0.lock().unwrap().get(&id).copied() })
    }
    fn set(&self, id: u32, balance: u64) -> Later<'_, ()> {
        Box::pin(async move { _ = self.0.lock().unwrap().insert(id, balance) })
    }
}

pub struct Teller { accounts: Arc<dyn Accounts> }

impl Teller {
    pub fn new(accounts: Arc<dyn Accounts>) -> Self { Self { accounts } }

    pub async fn withdraw(&self, id: u32, amount: u64) -> bool {
        let left = self.accounts.balance(id).await.and_then(|it| it.checked_sub(amount));
        let Some(left) = left else { return false };
        self.accounts.set(id, left).await;
        true
    }
}

pub struct Patient { accounts: Arc<InMemory>, turn: Mutex<()> }

impl Patient {
    pub fn new(accounts: Arc<InMemory>) -> Self { Self { accounts, turn: Mutex::new(()) } }

    pub fn withdraw(&self, id: u32, amount: u64) -> bool {
        let _turn = self.turn.lock().unwrap();
        let left = self.accounts.0.lock().unwrap().get(&id).and_then(|it| it.checked_sub(amount));
        let Some(left) = left else { return false };
        self.accounts.0.lock().unwrap().insert(id, left);
        true
    }
}

pub struct Permits { left: Mutex<u32>, changed: Condvar }

impl Permits {
    pub fn new(left: u32) -> Self { Self { left: Mutex::new(left), changed: Condvar::new() } }

    pub fn acquire(&self, number: u32) {
        let left = self.left.lock().unwrap();
        *self.changed.wait_while(left, |it| *it < number).unwrap() -= number;
    }

    pub fn release(&self) {
        *self.left.lock().unwrap() += 1;
        self.changed.notify_all();
    }
}

pub struct Worker { permits: Arc<Permits>, done: Mutex<u32> }

impl Worker {
    pub fn new(permits: Arc<Permits>) -> Self { Self { permits, done: Mutex::new(0) } }

    pub fn work(&self) -> u32 {
        self.permits.acquire(1);
        let done = { let mut done = self.done.lock().unwrap(); *done += 1; *done };
        self.permits.release();
        done
    }
}

#[derive(Default)]
pub struct Large(Mutex<Vec<u32>>);

impl Large {
    pub fn add(&self, number: u32) {
        assert!(number > 100, "too small");
        self.0.lock().unwrap().push(number);
    }
}

pub struct Reader { large: Arc<Large>, seen: Mutex<usize> }

impl Reader {
    pub fn new(large: Arc<Large>) -> Self { Self { large, seen: Mutex::new(0) } }

    pub fn next(&self) -> Option<u32> {
        let mut seen = self.seen.lock().unwrap();
        *seen += 1;
        self.large.0.lock().unwrap().get(*seen).copied()
    }
}
"#;

#[test]
fn a_service_is_tested_with_a_repository_that_has_something_in_it() {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY)];
    let subject = Subject::with("tellers", &files);
    let options = ["--budget", "3s", "--message-format", "json", "--emit"];
    let run = subject.contest(&[&["Teller"], &options[..]].concat());
    let run = run.status(1);
    assert_eq!(run.kinds(), ["non-linearizable"], "{}", run.text());
    let finding = &run.with_reason("finding")[0];
    let made = finding["prefix"][0].as_str().unwrap();
    let filled = "Teller::new({ let made = Arc::new(InMemory::default()); made.set(1, 1).await;";
    assert!(made.contains(filled), "{made}");
    let token = finding["schedule"].as_str().unwrap();
    subject.contest(&["replay", token]).status(1);
    let emitted = finding["emitted"].as_str().unwrap();
    let again = subject.contest(&["replay", emitted]).status(1);
    assert!(again.stdout.contains(filled), "{}", again.text());
    let compiled = subject.cargo(&["test", "--no-run"]).status(0);
    assert!(!compiled.stderr.contains("warning"), "{}", compiled.stderr);
}

#[test]
fn what_a_call_that_fills_leads_to_is_told_of_no_object() {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY)];
    let subject = Subject::with("tellers", &files);
    let run = subject.contest(&["--budget", "4s", "Patient", "Worker", "Reader"]);
    let run = run.status(0);
    let text = run.text();
    let mut notes = text.split("note[alone]").skip(1);
    let of_filled = notes.any(|it| it.lines().nth(1).is_some_and(|it| it.contains("let made")));
    assert!(!of_filled, "{text}");
    // It is not silent about what it left out.
    let left_out = "made by `Reader::new({ let made = Arc::new(Large::default()); made.add(1);";
    assert!(text.contains(left_out), "{text}");
}
