//! One run of this tool as a child, bounded in time and output.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cli::options::UNTIL_INPUT_ENDS;
use contest_build::workspace::child_process::{BoundedTail, ProcessGroup, each_piece, keep_tail};

/// How often it is looked at.
const WATCH: Duration = Duration::from_millis(50);
/// A child is killed this long after it was asked to end. Clients give a server two seconds.
const TO_END: Duration = Duration::from_millis(1500);
/// Most lines that are kept.
const MOST_LINES: usize = 4_000;
/// Bytes of what is said on standard error.
const TAIL: usize = 3_000;

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With this status; `None` after a signal.
    Status(Option<i32>),
    /// It took too long.
    TooLong,
    /// The call was cancelled, or the session has ended.
    Stopped,
}

/// What a child left behind.
#[derive(Debug)]
pub(super) struct Ran {
    /// Its lines, but those of progress.
    pub(super) lines: Vec<Value>,
    /// Lines beyond the number that is kept.
    pub(super) left_out: u64,
    /// The end of what it said on standard error.
    pub(super) said: String,
    pub(super) end: End,
}

impl Ran {
    /// Its lines with this reason.
    pub(super) fn with_reason<'a>(&'a self, reason: &'a str) -> impl Iterator<Item = &'a Value> {
        self.lines.iter().filter(move |it| it["reason"] == reason)
    }

    /// The first of them.
    pub(super) fn one(&self, reason: &str) -> Option<&Value> {
        self.lines.iter().find(|it| it["reason"] == reason)
    }
}

/// Runs this tool with these arguments in a directory. `progress` gets a sentence for each step.
///
/// # Errors
/// If it cannot be started.
pub(super) fn run(
    arguments: &[String],
    directory: &Path,
    most: Duration,
    stop: &AtomicBool,
    mut progress: impl FnMut(&str),
) -> Result<Ran, String> {
    let tool = std::env::current_exe()
        .map_err(|error| format!("cannot find the executable of this tool: {error}"))?;
    let mut command = Command::new(tool);
    command
        .arg("contest")
        .args(["--message-format=json", "--color=never"])
        .args(arguments)
        .env(UNTIL_INPUT_ENDS, "1")
        .current_dir(directory);
    let begun = Instant::now();
    let mut child = ProcessGroup::spawn(&mut command)
        .map_err(|error| format!("cannot run this tool in {}: {error}", directory.display()))?;
    // The child ends when this is closed.
    let _input = child.child().stdin.take();
    let said = BoundedTail::new(TAIL);
    let errors = child.child().stderr.take();
    let errors = errors.map(|it| keep_tail(it, said.clone()));
    let (sender, pieces) = mpsc::channel();
    let output = child.child().stdout.take();
    let output = output.map(|it| {
        each_piece(it, b"\n", move |piece| {
            let _ = sender.send(piece);
        })
    });
    let (mut lines, mut left_out) = (Vec::new(), 0);
    let mut take = |piece: &str| {
        let Ok(line) = serde_json::from_str::<Value>(piece) else {
            return;
        };
        match line["reason"].as_str() {
            Some("step") => progress(line["text"].as_str().unwrap_or_default()),
            Some("progress") => progress(&exploring(&line)),
            // What is well is in the summary.
            Some("test") if line["result"] == "ok" || line["result"] == "ignored" => {}
            Some(reason) if reason.ends_with("summary") || lines.len() < MOST_LINES => {
                lines.push(line);
            }
            Some(_) => left_out += 1,
            None => {}
        }
    };
    let end = loop {
        match pieces.recv_timeout(WATCH) {
            Ok(piece) => take(&piece),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(WATCH),
        }
        match child.try_wait() {
            Ok(Some(status)) => break End::Status(status.code()),
            Ok(None) => {}
            Err(error) => return Err(format!("cannot wait for this tool: {error}")),
        }
        let stopped = stop.load(Ordering::SeqCst);
        if stopped || begun.elapsed() > most {
            end(&mut child);
            break if stopped { End::Stopped } else { End::TooLong };
        }
    };
    // All who could write have ended.
    for reader in [output, errors].into_iter().flatten() {
        let _ = reader.join();
    }
    pieces.try_iter().for_each(|piece| take(&piece));
    Ok(Ran {
        lines,
        left_out,
        said: said.text(),
        end,
    })
}

/// The tool ends the drivers that it has started, if it is given the time.
fn end(child: &mut ProcessGroup) {
    child.ask_to_end();
    let asked = Instant::now();
    while asked.elapsed() < TO_END {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(WATCH);
    }
    let _ = child.kill();
}

fn exploring(line: &Value) -> String {
    let number = |key: &str| line[key].as_u64().unwrap_or(0);
    format!(
        "exploring: {} tests, {} executions, {} findings",
        number("tests"),
        number("executions"),
        number("findings")
    )
}
