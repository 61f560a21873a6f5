//! One run of the tool, and what it found.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::entries::Entry;

/// Kinds of findings that are about memory.
const ABOUT_MEMORY: [&str; 6] = [
    "data-race",
    "use-after-free",
    "double-free",
    "out-of-bounds",
    "leak",
    "wrong-thread",
];

/// What a run said.
pub(crate) struct Outcome {
    findings: Vec<Finding>,
    exit: Option<i32>,
}

pub(crate) struct Finding {
    pub(crate) kind: String,
    /// The first place, or the type if there is none.
    pub(crate) location: String,
    pub(crate) elapsed: Duration,
    /// Locations and calls.
    text: String,
}

/// Runs `cargo contest --budget …` in the folder.
///
/// # Errors
/// If the tool does not start.
pub(crate) fn run(
    tool: &Path,
    root: &Path,
    folder: &Path,
    features: Option<&str>,
    budget: &str,
) -> Result<Outcome, String> {
    let mut command = Command::new(tool);
    command.args(["contest", "--budget", budget, "--message-format", "json"]);
    if let Some(features) = features {
        command.args(["--features", features]);
    }
    let output = command
        .arg("--target-dir")
        .arg(root.join("target"))
        .current_dir(folder)
        .output()
        .map_err(|error| {
            format!(
                "{}: {error}; run `cargo build -p cargo-contest` first",
                tool.display()
            )
        })?;
    for (name, text) in [("jsonl", &output.stdout), ("txt", &output.stderr)] {
        let report = PathBuf::from(format!("{}.report.{name}", folder.display()));
        std::fs::write(&report, text).map_err(|error| format!("{}: {error}", report.display()))?;
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    let findings = stdout
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter_map(|line: Value| finding(&line))
        .collect();
    Ok(Outcome {
        findings,
        exit: output.status.code(),
    })
}

fn finding(line: &Value) -> Option<Finding> {
    if line["reason"] != "finding" {
        return None;
    }
    let first = line["locations"].get(0).and_then(Value::as_str);
    let location = first.or(line["type"].as_str()).unwrap_or_default();
    Some(Finding {
        kind: line["kind"].as_str()?.to_owned(),
        location: location.to_owned(),
        elapsed: Duration::from_millis(line["elapsed_ms"].as_u64()?),
        text: format!("{} {}", line["locations"], line["threads"]),
    })
}

impl Outcome {
    /// The first finding that is the bug of the entry.
    pub(crate) fn first_of(&self, entry: &Entry) -> Option<&Finding> {
        let (kinds, parts) = entry.shows;
        let mut all = self.findings.iter();
        all.find(|it| {
            kinds.contains(&it.kind.as_str()) && parts.iter().all(|part| it.text.contains(part))
        })
    }

    /// What came out where the bug did not.
    pub(crate) fn otherwise(&self) -> String {
        match self.exit {
            Some(0) => String::new(),
            Some(1) => format!("; {}", kinds(self.findings.iter())),
            Some(4) => "; nothing could be tested".to_owned(),
            Some(code) => format!("; status {code}"),
            None => "; the tool was killed".to_owned(),
        }
    }

    /// Findings about memory.
    pub(crate) fn about_memory(&self) -> String {
        let about = |it: &&Finding| ABOUT_MEMORY.contains(&it.kind.as_str());
        match self.exit {
            Some(0 | 1) if !self.findings.iter().any(|it| about(&it)) => "none".to_owned(),
            Some(1) => kinds(self.findings.iter().filter(about)),
            _ => self.otherwise().trim_start_matches("; ").to_owned(),
        }
    }
}

/// Kinds with their places.
fn kinds<'a>(findings: impl Iterator<Item = &'a Finding>) -> String {
    let mut all: Vec<String> = findings
        .map(|it| format!("`{}` at {}", it.kind, it.location))
        .collect();
    all.dedup();
    all.join(", ")
}
