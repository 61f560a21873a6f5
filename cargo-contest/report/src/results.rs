//! Results of earlier runs, to compare with: what `--message-format json` printed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use contest_data::finding::{CancelledCall, Finding, FindingKind, InterleavingStep, Level};
use serde::Deserialize;
use serde_json::Value;

/// Findings of a campaign, and how far it came.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// Its findings; of a state directory, those that were not mended.
    pub findings: Vec<Finding>,
    /// Counts with their names, those that both sides have can be compared.
    pub counts: Vec<(&'static str, u64)>,
}

/// Why results cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// It is something else.
    #[error(
        "{}:{line}: this is no output of `cargo contest --message-format json` ({why}); a directory of `--state` will do too",
        .path.display()
    )]
    Other {
        /// The file.
        path: PathBuf,
        /// The line, counting from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
}

impl Results {
    /// Reads a file of JSON lines.
    ///
    /// # Errors
    /// If it is something else, or has no summary: such a run did not come to its end.
    pub fn of_file(path: &Path) -> Result<Self, ResultsError> {
        let text = fs::read_to_string(path).map_err(|source| ResultsError::Io {
            path: path.to_owned(),
            source,
        })?;
        Self::of_lines(path, &text)
    }

    fn of_lines(path: &Path, text: &str) -> Result<Self, ResultsError> {
        let other = |line: usize, why: String| ResultsError::Other {
            path: path.to_owned(),
            line,
            why,
        };
        let mut results = Self::default();
        let mut last = 0;
        for (number, line) in (1..).zip(text.lines()) {
            last = number;
            let value: Value =
                serde_json::from_str(line).map_err(|error| other(number, error.to_string()))?;
            match value.get("reason").and_then(Value::as_str) {
                Some("finding") => {
                    let finding =
                        finding_of_line(value).map_err(|error| other(number, error.to_string()))?;
                    results.findings.push(finding);
                }
                Some("summary") => results.counts = counts(&value),
                Some(_) => {}
                None => return Err(other(number, "it has no `reason`".to_owned())),
            }
        }
        if results.counts.is_empty() {
            return Err(other(last, "it ends without a summary".to_owned()));
        }
        Ok(results)
    }
}

fn counts(summary: &Value) -> Vec<(&'static str, u64)> {
    let places = [
        ("tests", "/tests"),
        ("tests in every interleaving", "/coverage/tests_exhausted"),
        ("executions", "/executions"),
        ("pairs of operations", "/coverage/pairs_run"),
    ];
    let counts = places
        .into_iter()
        .filter_map(|(name, place)| Some((name, summary.pointer(place).and_then(Value::as_u64)?)));
    counts.collect()
}

/// The finding of a line of that reason.
pub(super) fn finding_of_line(line: Value) -> Result<Finding, serde_json::Error> {
    Line::deserialize(line).map(Into::into)
}

/// A line of a finding; see `json::finding`.
#[derive(Deserialize)]
struct Line {
    kind: FindingKind,
    /// Not in results of earlier versions.
    #[serde(default)]
    level: Level,
    #[serde(rename = "type")]
    subject: String,
    message: String,
    prefix: Vec<String>,
    threads: Vec<Vec<String>>,
    #[serde(default)]
    cancelled: Vec<CancelledCall>,
    locations: Vec<String>,
    interleaving: Vec<InterleavingStep>,
    schedule: String,
    executions: u64,
    elapsed_ms: u64,
    details: Vec<String>,
    fingerprint: String,
    #[serde(default)]
    test: Option<String>,
}

impl From<Line> for Finding {
    fn from(line: Line) -> Self {
        Self {
            level: line.level,
            subject: line.subject,
            details: line.details,
            prefix: line.prefix,
            threads: line.threads,
            cancelled: line.cancelled,
            locations: line.locations,
            interleaving: line.interleaving,
            schedule: line.schedule,
            executions: line.executions,
            elapsed_ms: line.elapsed_ms,
            fingerprint: line.fingerprint,
            own_test: line.test,
            ..Self::new(line.kind, line.message)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use crate::run_summary::RunSummary;
    use crate::sample::deadlock;

    #[test]
    fn what_is_printed_is_read_again() {
        let finding = deadlock();
        let lines = [
            json::warning("x"),
            json::finding("bank 0.1.0", &finding, None, 1, None),
            json::summary(&RunSummary::default()),
        ];
        let results = Results::of_lines(Path::new("x"), &lines.join("\n")).unwrap();
        let read = &results.findings[0];
        assert_eq!((read.kind, &read.threads), (finding.kind, &finding.threads));
        assert_eq!(read.interleaving, finding.interleaving);
        assert_eq!(results.counts.len(), 4);
    }

    #[test]
    fn what_is_something_else_is_refused_with_its_line() {
        let why = |text: &str| {
            let error = Results::of_lines(Path::new("old.json"), text).unwrap_err();
            error.to_string()
        };
        assert!(why("{\"reason\":\"warning\"}\nx").contains("old.json:2"));
        assert!(why("{\"reason\":\"warning\"}").contains("without a summary"));
        assert!(why("{}").contains("no `reason`"));
    }
}
