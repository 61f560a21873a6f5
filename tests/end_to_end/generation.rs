//! What generating tests says in the summary.

use serde_json::Value;

use crate::support::Subject;

fn count(list: &Value, of: &str) -> u64 {
    let mut entries = list.as_array().unwrap().iter();
    let found = entries.find(|entry| entry["why"] == of);
    found.map_or(0, |entry| entry["count"].as_u64().unwrap())
}

/// A counter of two states in a block of its own.
const SWITCH: &str = "
use std::sync::Mutex;

pub struct Switch(Mutex<Box<bool>>);

impl Switch {
    pub fn new() -> Self {
        Self(Mutex::new(Box::new(false)))
    }

    pub fn on(&self) -> bool {
        std::mem::replace(&mut **self.0.lock().unwrap(), true)
    }

    pub fn off(&self) -> bool {
        std::mem::replace(&mut **self.0.lock().unwrap(), false)
    }

    pub fn is_on(&self) -> bool {
        **self.0.lock().unwrap()
    }
}
";

#[test]
fn sequences_on_a_type_without_debug_are_pruned_by_what_they_leave_in_memory() {
    let copy = Subject::empty();
    copy.write(
        "Cargo.toml",
        "[package]\nname = \"switch\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    copy.write("src/lib.rs", SWITCH);
    let arguments = ["--message-format", "json", "--no-emit", "--budget", "500ms"];
    let summary = copy.contest(&arguments).status(0).summary();
    let coverage = &summary["coverage"];
    let states = &coverage["states"];
    assert!(count(states, "told by memory") > 0, "{summary}");
    assert_eq!(count(states, "shown by `Debug`"), 0, "{summary}");
    assert!(count(&coverage["pruned"], "d2") > 0, "{summary}");
}
