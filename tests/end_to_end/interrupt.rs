//! Ctrl-C: an orderly end that keeps what was found.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Subject, tool};

/// Interrupts an exploration of ten minutes as soon as a line with this reason was printed; gives the status and all
/// lines.
fn interrupted(subject: &str, after: &str) -> (i32, Vec<Value>) {
    let copy = Subject::copy(subject);
    let mut child = tool()
        .args([
            "contest",
            "--message-format",
            "json",
            "--budget",
            "10m",
            "--no-emit",
        ])
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
fn an_interrupt_after_a_finding_keeps_it() {
    let (status, lines) = interrupted("faulty/abba", "finding");
    assert_eq!(status, 1);
    let summary = summary(&lines);
    assert_eq!(summary["interrupted"], true);
    assert!(summary["findings"].as_u64().unwrap() >= 1, "{summary}");
}
