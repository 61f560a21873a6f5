//! Results of earlier runs, to compare with: a state directory, or what `--message-format json` printed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use contest_data::finding::{CancelledCall, Finding, FindingKind, InterleavingStep, Level};
use contest_data::totals::SubjectTotals;
use serde::Deserialize;
use serde_json::Value;

use crate::state::{KnownFinding, Standing, State, StateError};

/// Findings of a campaign, and how far it came.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// Its findings; of a state, those that were not mended.
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
    /// The state cannot be read.
    #[error(transparent)]
    State(#[from] StateError),
}

impl Results {
    /// Reads a state directory or a file of JSON lines.
    ///
    /// # Errors
    /// If it is neither, or has no summary: such a run did not come to its end.
    pub fn read(path: &Path) -> Result<Self, ResultsError> {
        if path.is_dir() {
            let (known, totals) = results_of_members(path)?;
            let open = known
                .into_iter()
                .filter(|it| it.standing != Standing::Mended);
            let sum = |count: fn(&contest_data::totals::SubjectTotals) -> u64| {
                totals.iter().map(count).sum()
            };
            return Ok(Self {
                findings: open.map(|it| it.finding).collect(),
                counts: vec![
                    ("tests", sum(|it| it.tests)),
                    ("tests in every interleaving", sum(|it| it.exhausted)),
                    ("executions", sum(|it| it.executions)),
                    ("pairs of operations", sum(|it| it.pairs.0)),
                ],
            });
        }
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

/// What a state directory holds, which of a run over several packages has one for each of them.
fn results_of_members(
    path: &Path,
) -> Result<(Vec<KnownFinding>, Vec<SubjectTotals>), ResultsError> {
    let members = State::members_of(path);
    if members.is_empty() {
        return Ok(State::results_of(path)?);
    }
    let (mut findings, mut totals) = (Vec::new(), Vec::new());
    for member in members {
        let (more_findings, more_totals) = State::results_of(&member)?;
        findings.extend(more_findings);
        totals.extend(more_totals);
    }
    Ok((findings, totals))
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
    use crate::report::json;
    use crate::report::run_summary::RunSummary;
    use crate::report::sample::deadlock;

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
