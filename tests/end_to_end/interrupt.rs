//! Ctrl-C: an orderly end that keeps what was found.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Subject, tool};

/// Interrupts an exploration of ten minutes as soon as a line with this reason was printed; gives the status and all
/// lines.
fn interrupted(subject: &str, after: &str) -> (i32, Vec<Value>) {
    interrupted_command(&Subject::copy(subject), &["--no-emit"], after)
}

fn interrupted_command(copy: &Subject, command: &[&str], after: &str) -> (i32, Vec<Value>) {
    let mut child = tool()
        .arg("contest")
        .args(command)
        .args(["--message-format", "json", "--budget", "10m"])
        .current_dir(&copy.directory)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    while !text.contains(&format!("\"reason\":\"{after}\"")) {
        assert_ne!(stdout.read_line(&mut text).unwrap(), 0, "{text}");
    }
    std::thread::sleep(Duration::from_millis(300));
    let interrupted = Instant::now();
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    stdout.read_to_string(&mut text).unwrap();
    let status = child.wait().unwrap();
    assert!(
        interrupted.elapsed() < Duration::from_secs(30),
        "slow to end"
    );
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    (status.code().unwrap(), lines)
}

fn summary(lines: &[Value]) -> &Value {
    lines
        .iter()
        .find(|line| line["reason"] == "summary")
        .unwrap_or_else(|| panic!("no summary: {lines:?}"))
}

#[test]
fn an_interrupt_before_any_finding_ends_with_a_summary() {
    let (status, lines) = interrupted("correct/rwlock_map", "subject");
    assert_eq!(status, 130);
    assert_eq!(summary(&lines)["interrupted"], true);
}

#[test]
fn interrupted_tests_are_not_ok() {
    let library = r#"
        #[cfg(test)]
        mod tests {
            #[test]
            fn a_quick() {}
            #[test]
            fn b_endless() {
                let sum = std::sync::atomic::AtomicU32::new(0);
                std::thread::scope(|scope| for _ in 0..4 {
                    scope.spawn(|| for _ in 0..100 { sum.fetch_add(1, std::sync::atomic::Ordering::SeqCst); });
                });
            }
            #[test]
            fn c_quick() {}
        }
    "#;
    let manifest = "[package]\nname = \"endless\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let files = [("Cargo.toml", manifest), ("src/lib.rs", library)];
    let subject = Subject::with("endless", &files);
    let (status, lines) = interrupted_command(&subject, &["test"], "test");
    assert_eq!(status, 130);
    let end = |lines: &[Value]| {
        let end = lines.iter().find(|it| it["reason"] == "test-summary");
        end.expect("a summary")["interrupted"].clone()
    };
    assert_eq!(end(&lines), true);
    // While they are built there is none that counts.
    let again = Subject::with("endless-again", &files);
    let (status, lines) = interrupted_command(&again, &["test"], "step");
    assert_eq!((status, end(&lines)), (130, true.into()));
}

#[test]
fn an_interrupt_after_a_finding_keeps_it() {
    let (status, lines) = interrupted("faulty/abba", "finding");
    assert_eq!(status, 1);
    let summary = summary(&lines);
    assert_eq!(summary["interrupted"], true);
    assert!(summary["findings"].as_u64().unwrap() >= 1, "{summary}");
}
