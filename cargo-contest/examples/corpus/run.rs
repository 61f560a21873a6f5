//! One run of the tool, and what it found.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::entries::Entry;

/// What a run said.
pub(crate) struct Outcome {
    findings: Vec<Finding>,
    exit: Option<i32>,
    /// The first line of an error.
    error: Option<String>,
}

pub(crate) struct Finding {
    pub(crate) kind: String,
    /// The first place, or the type if there is none.
    pub(crate) location: String,
    /// Not of what fails without any concurrency.
    pub(crate) elapsed: Option<Duration>,
    /// Places and calls.
    text: String,
    /// What it is in another version too: its kind, and the names of the calls.
    essence: String,
}

/// Runs `cargo contest -p CRATE --budget …` in the folder, which keeps both outputs.
///
/// # Errors
/// If the tool does not start, or the folder cannot be written.
pub(crate) fn run(
    tool: &Path,
    root: &Path,
    folder: &Path,
    entry: &Entry,
    budget: &str,
) -> Result<Outcome, String> {
    let mut command = Command::new(tool);
    command.args(["contest", "run", "-p", &entry.package, "--budget", budget]);
    command.args(["--message-format", "json", "--no-emit"]);
    command.args(&entry.arguments);
    let output = command
        .arg("--target-dir")
        .arg(root.join("target"))
        .current_dir(folder)
        .output()
        .map_err(|error| {
            let tool = tool.display();
            format!("{tool}: {error}; run `cargo build -p cargo-contest` first")
        })?;
    for (name, text) in [
        ("report.jsonl", &output.stdout),
        ("report.txt", &output.stderr),
    ] {
        let report = folder.join(name);
        std::fs::write(&report, text).map_err(|error| format!("{}: {error}", report.display()))?;
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    let findings = stdout
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter_map(|line: Value| finding(&line))
        .collect();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let error = stderr.lines().find(|it| it.starts_with("error"));
    Ok(Outcome {
        findings,
        exit: output.status.code(),
        error: error.map(str::to_owned),
    })
}

fn finding(line: &Value) -> Option<Finding> {
    if line["reason"] == "alone" {
        let calls = &line["calls"];
        let kind = format!("alone: {}", line["what"].as_str()?);
        return Some(Finding {
            essence: format!("{kind} {:?}", called(calls)),
            kind,
            location: line["type"].as_str()?.to_owned(),
            elapsed: None,
            text: calls.to_string(),
        });
    }
    if line["reason"] != "finding" {
        return None;
    }
    let first = line["locations"].get(0).and_then(Value::as_str);
    let location = first.or(line["type"].as_str()).unwrap_or_default();
    let kind = line["kind"].as_str()?;
    Some(Finding {
        kind: kind.to_owned(),
        essence: format!("{kind} {:?}", called(&line["threads"])),
        location: location.to_owned(),
        elapsed: Some(Duration::from_millis(line["elapsed_ms"].as_u64()?)),
        text: format!(
            "{} {} {}",
            line["locations"], line["prefix"], line["threads"]
        ),
    })
}

/// The names of all that is called.
fn called(threads: &Value) -> BTreeSet<String> {
    let text = threads.to_string();
    let parts = text.split('(');
    let names = parts.filter_map(|it| it.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next());
    names
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect()
}

impl Finding {
    fn is(&self, entry: &Entry) -> bool {
        entry.kinds.contains(&self.kind) && entry.parts.iter().all(|it| self.text.contains(it))
    }
}

impl Outcome {
    /// The first finding that looks like the bug of the entry.
    pub(crate) fn first_of(&self, entry: &Entry) -> Option<&Finding> {
        self.findings.iter().find(|it| it.is(entry))
    }

    /// How many findings the other version does not show.
    pub(crate) fn not_in(&self, other: &Self) -> usize {
        let shown = |it: &&Finding| {
            it.elapsed.is_none() || other.findings.iter().any(|of| of.essence == it.essence)
        };
        self.findings.iter().filter(|it| !shown(it)).count()
    }

    /// Whether the version was tested at all.
    pub(crate) fn ran(&self) -> bool {
        matches!(self.exit, Some(0 | 1))
    }

    /// What came out beside the bug.
    pub(crate) fn otherwise(&self, entry: &Entry) -> String {
        let mut all: Vec<String> = self
            .findings
            .iter()
            .filter(|it| !it.is(entry) && it.elapsed.is_some())
            .map(|it| format!("`{}` at {}", it.kind, it.location))
            .collect();
        all.dedup();
        match self.exit {
            Some(0 | 1) if all.is_empty() => "nothing".to_owned(),
            Some(0 | 1) => all.join(", "),
            Some(4) => "nothing could be tested".to_owned(),
            Some(code) => {
                let why = self.error.as_deref().unwrap_or_default();
                format!("status {code}: {why}")
            }
            None => "the tool was killed".to_owned(),
        }
    }
}
