//! Calls that run code of their callers: others come while it runs.

use crate::support::Subject;

const MANIFEST: &str =
    "[package]\nname = \"bulkheads\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n";

/// One call at a time is let in, and others are refused and counted. Beside it, two callers who refuse each other, what
/// is made twice, and a desk whose seat is free again if a thread of its own could not charge for it.
const LIBRARY: &str = r#"
use std::sync::{Arc, Mutex};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};

#[derive(Debug)]
pub struct Full;

#[derive(Debug, Default)]
pub struct Bulkhead { busy: AtomicBool, refused: AtomicU32 }

struct Free<'a>(&'a AtomicBool);

impl Drop for Free<'_> {
    fn drop(&mut self) { self.0.store(false, SeqCst); }
}

impl Bulkhead {
    pub fn new() -> Self { Self::default() }

    pub fn run<R>(&self, f: impl FnOnce() -> R) -> Result<R, Full> {
        if self.busy.swap(true, SeqCst) {
            self.refused.fetch_add(1, SeqCst);
            return Err(Full);
        }
        let made = f();
        self.busy.store(false, SeqCst);
        Ok(made)
    }

    pub async fn wait_for<F: Future>(&self, f: F) -> Result<F::Output, Full> {
        if self.busy.swap(true, SeqCst) {
            self.refused.fetch_add(1, SeqCst);
            return Err(Full);
        }
        // Also if the future is dropped.
        let _free = Free(&self.busy);
        Ok(f.await)
    }

    pub fn refused(&self) -> u32 { self.refused.load(SeqCst) }
}

/// Two callers refuse each other.
#[derive(Debug, Default)]
pub struct Shy { inside: AtomicU32, admitted: AtomicU32 }

impl Shy {
    pub fn new() -> Self { Self::default() }

    pub fn run<R>(&self, f: impl FnOnce() -> R) -> Result<R, Full> {
        self.inside.fetch_add(1, SeqCst);
        let made = if self.inside.load(SeqCst) > 1 { Err(Full) } else { Ok(f()) };
        self.admitted.fetch_add(u32::from(made.is_ok()), SeqCst);
        self.inside.fetch_sub(1, SeqCst);
        made
    }

    pub fn admitted(&self) -> u32 { self.admitted.load(SeqCst) }
}

#[derive(Debug, Default)]
pub struct Twice { made: Mutex<Option<u32>> }

impl Twice {
    pub fn new() -> Self { Self::default() }

    pub fn replace(&self, made: u32) -> Option<u32> { self.made.lock().unwrap().replace(made) }

    pub fn get_or_make(&self, f: impl FnOnce() -> u32) -> Result<u32, Full> {
        if let Some(made) = *self.made.lock().unwrap() { return Ok(made); }
        let made = f();
        *self.made.lock().unwrap() = Some(made);
        Ok(made)
    }
}

pub trait Charge: Send + Sync + 'static { fn charge(&self) -> Result<u32, Full>; }

pub struct Desk { charge: Arc<dyn Charge>, taken: Arc<Mutex<bool>> }

impl Desk {
    pub fn new(charge: impl Charge) -> Self { Self { charge: Arc::new(charge), taken: Arc::default() } }

    pub fn book(&self) -> Result<u32, Full> {
        if std::mem::replace(&mut *self.taken.lock().unwrap(), true) { return Err(Full); }
        let (charge, taken) = (self.charge.clone(), self.taken.clone());
        std::thread::spawn(move || {
            let charged = charge.charge();
            *taken.lock().unwrap() = charged.is_ok();
            charged
        }).join().unwrap()
    }

    pub fn taken(&self) -> bool { *self.taken.lock().unwrap() }
}
"#;

#[test]
fn a_call_is_refused_while_the_code_of_another_caller_runs() {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY)];
    let subject = Subject::with("bulkheads", &files);
    let usual = ["--budget", "2s", "--message-format", "json"];
    let run = subject.contest(&[&usual[..], &["Bulkhead"]].concat());
    let run = run.status(0);
    let reason =
        "a call gave up while the code that the caller of another one had handed in was running";
    assert!(run.stdout.contains(reason), "{}", run.text());
    let run = subject.contest(&[&usual[..], &["Desk"]].concat());
    let run = run.status(0);
    assert!(run.stdout.contains(reason), "{}", run.text());
    let run = subject.contest(&[&usual[..], &["Shy"]].concat());
    let shy = ("bulkheads::Shy".to_owned(), "non-linearizable".to_owned());
    let run = run.status(1);
    assert!(run.types_and_kinds().contains(&shy), "{}", run.text());
    let run = subject.contest(&[&usual[..], &["Twice"]].concat());
    let run = run.status(1);
    let found = run.types_and_kinds();
    // `replace` gives `None` as well, and refuses nothing.
    let overwritten = subject.contest(&[
        "try",
        "let a = Twice::new(); a.get_or_make(|| 1) | a.replace(2)",
    ]);
    let text = overwritten.status(1).text();
    assert!(text.contains("non-linearizable"), "{text}");
    let twice = ("bulkheads::Twice".to_owned(), "non-linearizable".to_owned());
    assert_eq!(found, [twice].into(), "{}", run.stderr);
}
