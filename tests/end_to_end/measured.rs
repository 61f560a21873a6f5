//! Operations that are measured to look at an object: what they show in the end is judged.

use crate::support::Subject;

const MANIFEST: &str =
    "[package]\nname = \"doors\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n";

/// No name says that it looks. What changes the object, or draws a random number, does not.
const LIBRARY: &str = r#"
use std::sync::Mutex;

#[derive(Default)]
pub struct Doors { open: Mutex<Vec<u32>>, next: Mutex<u32> }

impl Doors {
    pub fn new() -> Self { Self::default() }
    pub async fn unlock(&self, door: u32) -> Result<(), String> {
        let mut now = self.open.lock().unwrap().clone();
        now.push(door);
        *self.open.lock().unwrap() = now;
        Ok(())
    }
    pub async fn open_doors(&self) -> Vec<u32> { self.open.lock().unwrap().clone() }
}

#[derive(Default)]
pub struct Sound { open: Mutex<Vec<u32>>, issued: Mutex<u32> }

impl Sound {
    pub fn new() -> Self { Self::default() }
    pub async fn unlock(&self, door: u32) -> Result<(), String> {
        self.open.lock().unwrap().push(door);
        Ok(())
    }
    pub async fn open_doors(&self) -> usize { self.open.lock().unwrap().len() }
    pub async fn issue(&self) -> u32 {
        let mut issued = self.issued.lock().unwrap();
        *issued += 1;
        *issued
    }
    pub async fn close_one(&self) -> Option<u32> { self.open.lock().unwrap().pop() }
    pub async fn draw(&self) -> u64 {
        use std::hash::{BuildHasher, RandomState};
        RandomState::new().hash_one(1)
    }
}
"#;

#[test]
fn what_only_looks_is_called_in_the_end_whatever_its_name() {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY)];
    let subject = Subject::with("doors", &files);
    let usual = ["--budget", "3s", "--message-format", "json"];
    let run = subject.contest(&[&["Doors"], &usual[..]].concat());
    let run = run.status(1);
    let findings = run.with_reason("finding");
    let [finding] = &findings[..] else {
        panic!("{}", run.text());
    };
    let found = "afterwards a.open_doors().await is [1]; one call after another, it is [1, 1]";
    assert_eq!(finding["message"], found);
    let again = ["replay", finding["emitted"].as_str().unwrap()];
    let again = subject.contest(&again).status(1);
    assert!(again.stdout.contains(found), "{}", again.text());

    let run = subject.contest(&[&["Sound"], &usual[..]].concat());
    let run = run.status(0);
    assert_eq!(run.types_and_kinds(), [].into(), "{}", run.text());
}
