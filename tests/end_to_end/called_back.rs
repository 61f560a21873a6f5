//! Closures that call their object from inside, while its own call holds a lock.

use crate::support::Subject;

const MANIFEST: &str =
    "[package]\nname = \"bus\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n";

/// A bus that calls its handlers under its lock, one that does not, and a cell whose closure runs under its lock.
const LIBRARY: &str = r#"
use std::sync::{Arc, Mutex};

type Handler = Arc<dyn Fn(u32) + Send + Sync>;

#[derive(Default)]
pub struct Locked { handlers: Mutex<Vec<Handler>> }

impl Locked {
    pub fn subscribe(&self, handler: impl Fn(u32) + Send + Sync + 'static) {
        self.handlers.lock().unwrap().push(Arc::new(handler));
    }
    pub fn publish(&self, event: u32) -> usize {
        let handlers = self.handlers.lock().unwrap();
        for handler in handlers.iter() { handler(event) }
        handlers.len()
    }
}

#[derive(Default)]
pub struct Copied { handlers: Mutex<Vec<Handler>> }

impl Copied {
    pub fn subscribe(&self, handler: impl Fn(u32) + Send + Sync + 'static) {
        self.handlers.lock().unwrap().push(Arc::new(handler));
    }
    pub fn publish(&self, event: u32) -> usize {
        let handlers = self.handlers.lock().unwrap().clone();
        for handler in &handlers { handler(event) }
        handlers.len()
    }
}

#[derive(Default)]
pub struct Guarded { value: Mutex<u32> }

impl Guarded {
    pub fn update(&self, change: impl FnOnce(u32) -> u32) -> u32 {
        let mut value = self.value.lock().unwrap();
        *value = change(*value);
        *value
    }
    pub fn get(&self) -> u32 { *self.value.lock().unwrap() }
}
"#;

#[test]
fn a_call_that_waits_for_its_own_lock_inside_a_closure_is_told_of() {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY)];
    let subject = Subject::with("bus", &files);
    let run = subject.contest(&["--budget", "6s", "--no-emit", "--message-format", "json"]);
    let alone = run.with_reason("alone");
    let of = |name: &str| -> Vec<String> {
        let notes = alone.iter().map(ToString::to_string);
        notes.filter(|it| it.contains(name)).collect()
    };
    for (name, field) in [
        ("bus::Locked", "Locked.handlers"),
        ("bus::Guarded", "Guarded.value"),
    ] {
        let notes = of(name);
        let [note] = &notes[..] else {
            panic!("{name}: {}", run.text());
        };
        let waits = format!("waits for {field}, held by itself since src/lib.rs:");
        assert!(note.contains("back.") && note.contains(&waits), "{note}");
    }
    // A closure that panics is no operation that fails.
    let coverage = &run.with_reason("summary")[0]["coverage"];
    assert_eq!(coverage["only_errors"], serde_json::json!([]));
    assert!(of("bus::Copied").is_empty(), "{}", run.text());
}
