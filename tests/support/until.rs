//! Runs that end when they have found what a test looks for, so that its budget can be as long as a busy machine needs.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::Run;

/// Runs the tool, whose messages are JSON lines, and interrupts it `then` after its findings were `enough`. Without
/// that it ends by itself, when its budget is used up. What it finds in between is in the run, too.
pub(super) fn run_until(
    mut command: Command,
    then: Duration,
    enough: impl Fn(&[Value]) -> bool,
) -> Run {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut errors = child.stderr.take().unwrap();
    let errors = thread::spawn(move || {
        let mut text = Vec::new();
        errors.read_to_end(&mut text).unwrap();
        String::from_utf8_lossy(&text).into_owned()
    });
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    let mut findings: Vec<Value> = Vec::new();
    loop {
        let begin = text.len();
        if output.read_line(&mut text).unwrap() == 0 {
            break;
        }
        let line: Value = serde_json::from_str(&text[begin..]).unwrap_or_default();
        if line["reason"] == "finding" {
            findings.push(line);
            if enough(&findings) {
                thread::sleep(then);
                interrupt(&child);
                output.read_to_string(&mut text).unwrap();
                break;
            }
        }
    }
    Run {
        status: child.wait().unwrap().code().unwrap_or(-1),
        stdout: text,
        stderr: errors.join().unwrap(),
    }
}

/// As Ctrl-C does. A process that has ended is not waited for yet, so the number is still its own.
fn interrupt(child: &Child) {
    if cfg!(unix) {
        let number = child.id().to_string();
        let killed = Command::new("kill").args(["-INT", &number]).status();
        assert!(killed.unwrap().success());
    }
}
