//! Calls that return an error unless their text has a form: an address of mail, a code.

use crate::support::Subject;

const MANIFEST: &str =
    "[package]\nname = \"members\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n";

/// A list that looks and then adds, one that does both in turn, and one whose texts nobody can guess.
const LIBRARY: &str = r#"
use std::collections::HashSet;
use std::sync::{Mutex, RwLock};

#[derive(Debug)]
pub enum Refused { NoAddress, Known, NoCode }

#[derive(Default)]
pub struct Members(RwLock<HashSet<String>>);

impl Members {
    pub fn join(&self, address: &str) -> Result<usize, Refused> {
        let (name, host) = address.split_once('@').ok_or(Refused::NoAddress)?;
        if name.is_empty() || !host.contains('.') { return Err(Refused::NoAddress) }
        if self.knows(address) { return Err(Refused::Known) }
        let mut all = self.0.write().unwrap();
        all.insert(address.to_owned());
        Ok(all.len())
    }
    pub fn knows(&self, address: &str) -> bool { self.0.read().unwrap().contains(address) }
}

#[derive(Default)]
pub struct InTurn(Mutex<HashSet<String>>);

impl InTurn {
    pub fn join(&self, address: String) -> Result<(), Refused> {
        if !address.contains('@') { return Err(Refused::NoAddress) }
        let new = self.0.lock().unwrap().insert(address);
        if new { Ok(()) } else { Err(Refused::Known) }
    }
    pub fn knows(&self, address: String) -> bool { self.0.lock().unwrap().contains(&address) }
}

#[derive(Default)]
pub struct Vouchers(Mutex<u32>);

impl Vouchers {
    pub fn redeem(&self, code: &str) -> Result<u32, Refused> {
        let mut redeemed = self.0.lock().unwrap();
        if code != "open sesame!" { return Err(Refused::NoCode) }
        *redeemed += 1;
        Ok(*redeemed)
    }
    pub fn redeemed(&self) -> u32 { *self.0.lock().unwrap() }
}
"#;

#[test]
fn texts_have_the_form_that_calls_take_and_who_takes_none_is_named() {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY)];
    let subject = Subject::with("members", &files);
    let options = ["--budget", "4s", "--message-format", "json", "--emit"];
    let run = subject.contest(&options).status(1);

    let findings = run.with_reason("finding");
    let [finding] = &findings[..] else {
        panic!("{findings:?}");
    };
    assert_eq!(finding["kind"], "non-linearizable", "{finding}");
    let calls = finding["threads"].to_string();
    assert!(calls.contains(r#"a.join(\"a@b.example\")"#), "{calls}");
    let test = finding["emitted"].as_str().unwrap();
    let replayed = subject.contest(&["replay", test]).status(1);
    assert!(
        replayed.stdout.contains("a.join(\"a@b.example\")"),
        "{}",
        replayed.stdout
    );

    let coverage = &run.with_reason("summary")[0]["coverage"];
    let errors = coverage["only_errors"].as_array().unwrap();
    let [errors] = &errors[..] else {
        panic!("{errors:?}");
    };
    assert_eq!(errors["operation"], "redeem");
    assert_eq!(errors["error"], "Err(NoCode)");
    let run = subject.contest(&["Vouchers", "--budget", "1s", "--no-emit"]);
    let text = run.status(0).text();
    assert!(
        text.contains("errors only redeem (Err(NoCode)): nothing else was returned"),
        "{text}"
    );
}
