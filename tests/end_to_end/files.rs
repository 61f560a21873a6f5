//! Files that calls write: each execution finds what the first one found.

use crate::support::Subject;

const MANIFEST: &str = "[package]\nname = \"journals\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

const SOURCE: &str = r#"
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

macro_rules! journal {
    ($name:ident, $append:expr) => {
        /// Lines in a file, each found again by its offset.
        pub struct $name {
            file: Mutex<File>,
            end: AtomicU64,
        }

        impl $name {
            /// Goes on at the end of what is there.
            pub fn open(path: &Path) -> io::Result<Self> {
                fs::create_dir_all("kept")?;
                let path = Path::new("kept").join(path);
                let file = File::options().create(true).append(true).open(path)?;
                let end = AtomicU64::new(file.metadata()?.len());
                Ok(Self { file: Mutex::new(file), end })
            }

            /// Adds a line and says where it begins.
            pub fn append(&self, line: &str) -> u64 {
                $append(self, line)
            }
        }
    };
}

journal!(Early, |this: &Early, line: &str| {
    let at = this.end.load(SeqCst);
    writeln!(this.file.lock().unwrap(), "{line}").unwrap();
    this.end.store(at + line.len() as u64 + 1, SeqCst);
    at
});
journal!(Right, |this: &Right, line: &str| {
    let mut file = this.file.lock().unwrap();
    writeln!(file, "{line}").unwrap();
    this.end.fetch_add(line.len() as u64 + 1, SeqCst)
});
"#;

#[test]
fn what_an_execution_has_written_is_not_there_in_the_next_one() {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", SOURCE)];
    let journals = Subject::with("journals", &files);
    let two_lines = |name: &str| {
        let open = format!("let a = journals::{name}::open(std::path::Path::new(\"j\")).unwrap()");
        format!("{open}; a.append(\"one\") | a.append(\"two\")")
    };
    let early = journals.contest(&["try", &two_lines("Early")]).status(1);
    let said = early.text();
    for shown in ["a.append(\"one\") = 0", "a.append(\"two\") = 0"] {
        assert!(said.contains(shown), "no `{shown}` in {said}");
    }
    let right = journals.contest(&["try", &two_lines("Right")]).status(0);
    let said = right.text();
    for shown in ["a.append(\"one\") = 4", "a.append(\"two\") = 4"] {
        assert!(said.contains(shown), "no `{shown}` in {said}");
    }
    assert!(!said.contains("= 8"), "{said}");
}
