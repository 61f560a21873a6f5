//! What is called complete is: samplers show nothing that its exploration has not shown (`--check-complete`).

use crate::support::Subject;

/// The lock of standard error is no visible operation until something visible is done under it.
#[test]
fn samplers_show_nothing_new_of_what_is_complete() {
    for subject in ["correct/standard_streams", "correct/classics"] {
        Subject::copy(subject).check_complete("1s", 100);
    }
}

#[test]
fn who_holds_a_stream_while_it_counts_comes_first_or_second() {
    let library = r#"
        use std::io::Write;
        use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

        pub struct Lines { count: AtomicU32 }

        impl Lines {
            pub fn new() -> Self { Self { count: AtomicU32::new(0) } }

            pub fn print(&self) -> u32 {
                let mut out = std::io::stderr().lock();
                let _ = writeln!(out, "a line");
                self.count.fetch_add(1, SeqCst)
            }
        }
    "#;
    let manifest = "[package]\nname = \"lines\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let files = [("Cargo.toml", manifest), ("src/lib.rs", library)];
    let subject = Subject::with("lines", &files);
    let run = subject.contest(&["try", "let a = Lines::new(); a.print() | a.print()"]);
    let run = run.status(0);
    assert!(run.stdout.contains("2 outcomes in"), "{}", run.stdout);
}
