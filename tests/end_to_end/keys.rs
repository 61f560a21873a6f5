//! Objects that are made by futures, and the keys that objects give and take back.

use crate::support::Subject;

const MANIFEST: &str =
    "[package]\nname = \"vaults\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n";

/// A key that another vault has given opens nothing: its secret is random. The first vault opens twice with one key.
const LIBRARY: &str = r#"
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Mutex;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key { number: usize, secret: u64 }

#[derive(Default)]
struct Keys(Mutex<HashMap<usize, u64>>);

impl Keys {
    fn issue(&self) -> Key {
        let mut keys = self.0.lock().unwrap();
        let number = keys.len();
        let secret = RandomState::new().hash_one(number);
        keys.insert(number, secret);
        Key { number, secret }
    }
}

pub struct Vault { keys: Keys }

impl Vault {
    pub async fn create() -> Result<Self, String> { Ok(Self { keys: Keys::default() }) }

    pub async fn issue(&self) -> Key { self.keys.issue() }

    pub fn open(&self, key: &Key) -> bool {
        let fits = self.keys.0.lock().unwrap().get(&key.number) == Some(&key.secret);
        fits && { self.keys.0.lock().unwrap().insert(key.number, 0); true }
    }
}

pub struct Safe { keys: Keys }

impl Safe {
    pub async fn create() -> Result<Self, String> { Ok(Self { keys: Keys::default() }) }

    pub async fn issue(&self) -> Key { self.keys.issue() }

    pub fn open(&self, key: Key) -> bool {
        let mut keys = self.keys.0.lock().unwrap();
        keys.get_mut(&key.number).is_some_and(|it| std::mem::take(it) == key.secret)
    }
}
"#;

#[test]
fn a_key_is_given_back_to_the_object_that_gave_it() {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY)];
    let subject = Subject::with("vaults", &files);
    let run = subject.contest(&["--message-format", "json", "--budget", "3s"]);
    let run = run.status(1);
    let of = "(vaults::Vault, vaults::Key)".to_owned();
    let wrong = ("non-linearizable".to_owned(), of);
    let found = run.types_and_kinds().into_iter();
    let found: Vec<(String, String)> = found.map(|(of, kind)| (kind, of)).collect();
    assert_eq!(found, [wrong], "{}", run.stderr);
    for text in [
        "let a = { let x = Vault::create().await.unwrap(); let y = x.issue().await; (x, y) };",
        "two calls of a.0.open(&a.1) return true and true",
    ] {
        assert!(run.stderr.contains(text), "{text}: {}", run.stderr);
    }
    let finding = &run.with_reason("finding")[0];
    let token = finding["schedule"].as_str().unwrap();
    subject.contest(&["replay", token]).status(1);
    // Another program has the same future without the engine.
    let emitted = finding["emitted"].as_str().unwrap();
    let emitted = std::fs::read_to_string(subject.directory.join(emitted)).unwrap();
    assert!(
        emitted.contains("block_on(<vaults::Vault>::create())"),
        "{emitted}"
    );
    assert!(emitted.contains("fn block_on<F:"), "{emitted}");

    // What the manifest says may wait, too.
    let make = "{ let it = Vault::create().await.unwrap(); it.issue().await; it }";
    let manifest =
        format!("{MANIFEST}[package.metadata.contest]\nmake = {{ Vault = \"{make}\" }}\n");
    let files = [("Cargo.toml", manifest.as_str()), ("src/lib.rs", LIBRARY)];
    let made = Subject::with("vaults-made", &files);
    let run = made.contest(&["--budget", "3s"]).status(1);
    assert!(run.stdout.contains(make), "{}", run.text());

    let setup = "let a = Safe::create().await.unwrap(); let key = a.issue().await;";
    let safe = format!("{setup} a.open(key.clone()) | a.open(key.clone())");
    let tried = subject.contest(&["try", &safe]).status(0);
    assert!(tried.stdout.contains("true"), "{}", tried.text());
    let vault = format!("{setup} a.open(key) | a.open(key)").replace("Safe", "Vault");
    subject.contest(&["try", &vault]).status(1);
}

const STOCK: &str = "use std::collections::HashMap;
use std::sync::Mutex;
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reservation(u64);
#[derive(Debug)]
pub struct OutOfStock;
#[derive(Default)]
pub struct Stock { left: Mutex<HashMap<String, u32>>, held: Mutex<Vec<(u64, String, u32)>> }
impl Stock {
    pub fn new() -> Self { Self::default() }
    pub fn restock(&self, name: &str, count: u32) {
        *self.left.lock().unwrap().entry(name.to_owned()).or_default() += count;
    }
    pub fn reserve(&self, name: &str, count: u32) -> Result<Reservation, OutOfStock> {
        let mut all = self.left.lock().unwrap();
        let left = all.get_mut(name).filter(|left| **left >= count).ok_or(OutOfStock)?;
        *left -= count;
        let mut held = self.held.lock().unwrap();
        let number = held.len() as u64;
        held.push((number, name.to_owned(), count));
        Ok(Reservation(number))
    }
    /// Twice for two that call it at the same time.
    pub fn release(&self, of: Reservation) -> bool {
        let found = self.held.lock().unwrap().iter().find(|it| it.0 == of.0).cloned();
        let Some((_, name, count)) = found else { return false };
        self.held.lock().unwrap().retain(|it| it.0 != of.0);
        self.restock(&name, count);
        true
    }
}
";

/// There is nothing to reserve in a new object.
#[test]
fn what_a_key_is_of_is_put_in_before() {
    let manifest = "[package]\nname = \"stock\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let stock = Subject::with("stock", &[("Cargo.toml", manifest), ("src/lib.rs", STOCK)]);
    let run = stock.contest(&["--budget", "3s"]).status(1);
    let said = run.text();
    for part in [
        "// (stock::Stock, stock::Reservation), 2 threads",
        "let _ = x.restock(\"a\", 1); let y = x.reserve(\"a\", 1).unwrap(); (x, y)",
        "two calls of a.0.release(a.1.clone()) return true and true",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}
