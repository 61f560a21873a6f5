//! In which order findings are shown.

use crate::support::Subject;

const MANIFEST: &str =
    "[package]\nname = \"tickets\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n";

/// Two calls beside each other return one number; where one ticket is left, the second call panics.
const LIBRARY: &str = r#"
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub struct Tickets { left: AtomicU32 }

impl Tickets {
    pub fn new() -> Self { Self { left: AtomicU32::new(2) } }

    pub fn take(&self) -> u32 {
        let left = self.left.load(SeqCst);
        if left == 0 { return 0; }
        assert!(self.left.fetch_sub(1, SeqCst) > 0, "no ticket is left");
        left
    }
}
"#;

#[test]
fn a_panic_is_shown_whole_although_a_wrong_result_of_its_cause_was_found_before() {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY)];
    let subject = Subject::with("tickets", &files);
    let arguments = ["--budget", "4s", "--no-emit", "--message-format=json"];
    let run = subject.contest(&arguments).status(1);
    let found = run.with_reason("finding");
    let kinds: Vec<&str> = found
        .iter()
        .map(|it| it["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["non-linearizable", "panic"]);
    let text = run.stderr;
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("error[panic]") < at("The interleaving that shows it"));
    assert!(at("The interleaving that shows it") < at("error[non-linearizable]"));
    assert!(at("error[non-linearizable]") < at("another way to cause 1"));
}
