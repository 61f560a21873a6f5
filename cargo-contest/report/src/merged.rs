//! The results of several runs as those of one: of the partitions of a set of tests, or of the shards of a campaign.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use contest_data::finding::{Finding, Level};
use contest_data::gap::Gaps;
use contest_data::own_tests::{OwnResult, OwnVerdict};
use serde_json::{Value, json};

use super::causes::Causes;
use super::emitted_result::EmittedResult;
use super::figures::{count, counted, seconds};
use super::json;
use super::results::{ResultsError, finding_of_line};
use super::test_totals::TestTotals;
use contest_catalog::skipped::Skipped;

/// Names of files of results in a directory.
const EXTENSIONS: [&str; 3] = ["json", "jsonl", "ndjson"];

/// A test by package, executable and name.
pub type TestKey = (String, String, String);

/// Results, put together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merged {
    /// Different findings, each with its package.
    pub findings: Vec<(String, Finding)>,
    /// How often one of them came again.
    pub repeated: usize,
    /// Tests of crates. Of one that was run several times, executions are added, and the worst result counts.
    pub tests: BTreeMap<TestKey, OwnResult>,
    /// Emitted tests by package and name; true for those that failed.
    pub emitted: BTreeMap<(String, String), EmittedResult>,
    /// What was left out, each with its package.
    pub left_out: Vec<(String, Skipped)>,
    /// Generated tests: all, those explored in every interleaving, and their executions.
    pub generated: (u64, u64, u64),
    /// Files that were read.
    pub parts: usize,
    /// Those that are not the whole result of a run, with the reason.
    pub incomplete: Vec<Skipped>,
    /// Time of all runs.
    pub elapsed: Duration,
}

impl Merged {
    /// Reads files, and the files of directories.
    ///
    /// # Errors
    /// If one cannot be read or is something else, or a directory has none.
    pub fn read(paths: &[PathBuf]) -> Result<Self, ResultsError> {
        let mut merged = Self::default();
        for path in paths {
            let failed = |source| ResultsError::Io {
                path: path.clone(),
                source,
            };
            let files = match path.is_dir() {
                true => files_of(path).map_err(failed)?,
                false => vec![path.clone()],
            };
            if files.is_empty() {
                let why = "it has no file that ends with .json, .jsonl or .ndjson";
                return Err(failed(io::Error::new(io::ErrorKind::NotFound, why)));
            }
            for file in files {
                let text = fs::read_to_string(&file).map_err(|source| ResultsError::Io {
                    path: file.clone(),
                    source,
                })?;
                merged.add(&file, &text)?;
            }
        }
        Ok(merged)
    }

    /// Takes the lines of one run in.
    ///
    /// # Errors
    /// If a line is none of this tool.
    pub fn add(&mut self, path: &Path, text: &str) -> Result<(), ResultsError> {
        let other = |line: usize, why: String| ResultsError::Other {
            path: path.to_owned(),
            line,
            why,
        };
        self.parts += 1;
        let mut ended = false;
        for (number, line) in (1..).zip(text.lines()) {
            let value: Value =
                serde_json::from_str(line).map_err(|error| other(number, error.to_string()))?;
            let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
            match value["reason"].as_str() {
                Some("finding") => {
                    let package = text("package");
                    let finding =
                        finding_of_line(value).map_err(|error| other(number, error.to_string()))?;
                    self.add_finding(package, finding);
                }
                Some("test") if value["emitted"] == true => {
                    let key = (text("package"), text("name"));
                    let result = match (value["failed"] == true, value["level"] == "warning") {
                        (true, _) => EmittedResult::Fails(text("message")),
                        (_, true) => EmittedResult::Warns(text("message")),
                        _ => EmittedResult::Passes,
                    };
                    let known = self.emitted.entry(key).or_default();
                    *known = result.max(std::mem::take(known));
                }
                Some("test") => {
                    let result = result_of(&value).map_err(|why| other(number, why))?;
                    self.add_test(text("package"), text("executable"), result);
                }
                Some("left-out") => {
                    let skipped = (text("package"), Skipped::new(text("item"), text("why")));
                    if !self.left_out.contains(&skipped) {
                        self.left_out.push(skipped);
                    }
                }
                Some("test-summary") => {
                    ended = true;
                    if value["interrupted"] == true {
                        self.note_incomplete(path, "it was interrupted");
                    }
                    self.add_time(&value);
                }
                Some("summary") => {
                    ended = true;
                    self.add_summary(path, &value);
                }
                Some("merge-summary") => {
                    ended = true;
                    self.add_merged(&value);
                }
                Some(_) => {}
                None => return Err(other(number, "it has no `reason`".to_owned())),
            }
        }
        if !ended {
            let why = "it ends without a summary: the run did not come to its end";
            self.note_incomplete(path, why);
        }
        Ok(())
    }

    fn note_incomplete(&mut self, path: &Path, why: &str) {
        let item = path.display().to_string();
        self.incomplete.push(Skipped::new(item, why));
    }

    fn add_finding(&mut self, package: String, finding: Finding) {
        let mut known = self.findings.iter();
        if known.any(|(of, it)| *of == package && it.fingerprint == finding.fingerprint) {
            self.repeated += 1;
        } else {
            self.findings.push((package, finding));
        }
    }

    /// Takes the result of one test in.
    pub fn add_test(&mut self, package: String, executable: String, result: OwnResult) {
        let key = (package, executable, result.name.clone());
        let Some(known) = self.tests.get_mut(&key) else {
            self.tests.insert(key, result);
            return;
        };
        let executions = known.executions + result.executions;
        let complete = known.complete || result.complete;
        if badness(result.verdict) > badness(known.verdict) {
            *known = result;
        }
        known.executions = executions;
        known.complete = complete && known.verdict != OwnVerdict::NotRun;
    }

    fn add_summary(&mut self, path: &Path, summary: &Value) {
        let number = |place: &str| summary.pointer(place).and_then(Value::as_u64).unwrap_or(0);
        let (tests, complete, executions) = &mut self.generated;
        *tests += number("/tests");
        *complete += number("/coverage/tests_exhausted");
        *executions += number("/executions");
        self.add_time(summary);
        if summary["interrupted"] == true {
            self.note_incomplete(path, "the run was interrupted");
        }
        if let Some(why) = summary["nothing_tested"].as_str() {
            self.note_incomplete(path, why);
        }
    }

    /// The totals that no other line of what was merged before has.
    fn add_merged(&mut self, summary: &Value) {
        let number = |key: &str| summary[key].as_u64().unwrap_or(0);
        let (tests, complete, executions) = &mut self.generated;
        *tests += number("generated");
        *complete += number("generated_complete");
        *executions += number("generated_executions");
        self.repeated += usize::try_from(number("repeated")).unwrap_or(usize::MAX);
        self.add_time(summary);
        for part in summary["incomplete"].as_array().into_iter().flatten() {
            let text = |key: &str| part[key].as_str().unwrap_or_default();
            self.incomplete
                .push(Skipped::new(text("item"), text("why")));
        }
    }

    fn add_time(&mut self, summary: &Value) {
        self.elapsed += Duration::from_millis(summary["elapsed_ms"].as_u64().unwrap_or(0));
    }

    /// Counts of the tests of crates.
    #[must_use]
    pub fn test_totals(&self) -> TestTotals {
        let of_tests = |(_, it): &&(String, Finding)| it.own_test.is_some();
        let mut totals = TestTotals {
            emitted: self.emitted.len(),
            emitted_failed: self.emitted.values().filter(|it| it.fails()).count(),
            findings: self.findings.iter().filter(of_tests).count(),
            elapsed: self.elapsed,
            ..TestTotals::default()
        };
        for result in self.tests.values() {
            totals.add(result);
        }
        totals
    }

    /// True if something was found, or a test failed.
    #[must_use]
    pub fn any_failed(&self) -> bool {
        let fails = |(_, it): &(String, Finding)| it.level == Level::Error;
        self.findings.iter().any(fails) || self.test_totals().any_failed()
    }

    /// True if no test was run in any part.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let run = |it: &&OwnResult| !matches!(it.verdict, OwnVerdict::Ignored | OwnVerdict::NotRun);
        let ran = self.tests.values().filter(run).count() + self.emitted.len();
        ran == 0 && self.generated.0 == 0
    }

    /// All of it as JSON lines, which can be merged again.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut causes = Causes::default();
        let mut lines = Vec::new();
        for (package, finding) in &self.findings {
            let cause = causes.of(finding);
            lines.push(json::finding(package, finding, None, cause, None));
        }
        lines.extend(self.lines_of_tests());
        lines.push(self.summary());
        lines
    }

    /// The lines without those of the findings and the summary.
    pub(super) fn lines_of_tests(&self) -> Vec<String> {
        let left_out = self.left_out.iter();
        let left_out = left_out.map(|(package, skipped)| json::left_out(package, skipped));
        let emitted = self.emitted.iter();
        let emitted = emitted.map(|((package, name), result)| json::test(package, name, result));
        let own = self.tests.iter();
        let own = own.map(|((package, executable, _), it)| json::own_test(package, executable, it));
        left_out.chain(emitted).chain(own).collect()
    }

    /// The last line.
    pub(super) fn summary(&self) -> String {
        let totals = self.test_totals();
        let (generated, complete, executions) = self.generated;
        json!({"reason": "merge-summary", "parts": self.parts, "incomplete": self.incomplete,
               "findings": self.findings.len(), "repeated": self.repeated, "tests": totals.tests(), "ok": totals.ok,
               "failed": totals.failed, "fails_sometimes": totals.fails_sometimes, "ignored": totals.ignored,
               "not_run": totals.not_run, "complete": totals.complete, "executions": totals.executions,
               "emitted": totals.emitted, "emitted_failed": totals.emitted_failed, "generated": generated,
               "generated_complete": complete, "generated_executions": executions,
               "elapsed_ms": u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX)})
        .to_string()
    }

    /// The end, for people.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let totals = self.test_totals();
        if totals.tests() + totals.emitted > 0 {
            text += &totals.line();
        }
        let (tests, complete, executions) = self.generated;
        if tests > 0 {
            let _ = writeln!(
                text,
                "\n{}, {} of them in every interleaving, in {}",
                counted(tests, "generated test"),
                count(complete),
                counted(executions, "execution"),
            );
        }
        let different = counted(self.findings.len() as u64, "finding");
        let again = match self.repeated {
            0 => String::new(),
            more => format!(", {} more of the same", count(more as u64)),
        };
        let parts = counted(self.parts as u64, "part");
        let time = seconds(self.elapsed);
        let _ = writeln!(
            text,
            "{different}{again}, in {parts} that took {time} together"
        );
        for part in &self.incomplete {
            let _ = writeln!(text, "incomplete: {}: {}", part.item, part.why);
        }
        text
    }
}

/// The more, the worse.
fn badness(verdict: OwnVerdict) -> u8 {
    match verdict {
        OwnVerdict::Ignored => 0,
        OwnVerdict::Ok => 1,
        OwnVerdict::NotRun => 2,
        OwnVerdict::Failed => 3,
        OwnVerdict::FailsSometimes => 4,
    }
}

/// The files of results in a directory, by name.
///
/// # Errors
/// If it cannot be read.
pub fn files_of(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let extension = path.extension().and_then(|it| it.to_str());
        if path.is_file() && extension.is_some_and(|it| EXTENSIONS.contains(&it)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn result_of(line: &Value) -> Result<OwnResult, String> {
    let text = |key: &str| line[key].as_str().ok_or(format!("no `{key}`"));
    let verdict = serde_json::from_value(line["result"].clone());
    Ok(OwnResult {
        name: text("name")?.to_owned(),
        verdict: verdict.map_err(|error| format!("`result`: {error}"))?,
        complete: line["complete"] == true,
        gaps: match &line["gaps"] {
            Value::Null => Gaps::NONE,
            gaps => {
                serde_json::from_value(gaps.clone()).map_err(|error| format!("`gaps`: {error}"))?
            }
        },
        weak: serde_json::from_value(line["rc11"].clone())
            .map_err(|error| format!("`rc11`: {error}"))?,
        allowed: match &line["allowed"] {
            Value::Null => Vec::new(),
            allowed => serde_json::from_value(allowed.clone())
                .map_err(|error| format!("`allowed`: {error}"))?,
        },
        executions: line["executions"].as_u64().unwrap_or(0),
        threads: line["threads"]
            .as_u64()
            .unwrap_or(0)
            .try_into()
            .unwrap_or(u16::MAX),
        draws: line["draws"].as_u64().unwrap_or(0),
        delays: line["delays"].as_u64().unwrap_or(0),
        random_executions: line["random_executions"].as_u64().unwrap_or(0),
        random_failures: line["random_failures"].as_u64().unwrap_or(0),
        sound: (line["sound"].as_array().into_iter().flatten())
            .filter_map(|it| Some(it.as_str()?.to_owned()))
            .collect(),
        why: text("why")?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_summary::RunSummary;
    use crate::sample::deadlock;

    fn result(name: &str, verdict: OwnVerdict) -> OwnResult {
        OwnResult {
            executions: 3,
            threads: 2,
            ..OwnResult::without_execution(name, verdict, "why")
        }
    }

    fn part(lines: &[String]) -> String {
        lines.join("\n")
    }

    #[test]
    fn emitted_tests_keep_their_worst_result_and_an_interrupted_part_is_incomplete() {
        let of = |result| json::test("a 1.0.0", "x", &result);
        let warns = EmittedResult::Warns("torn-read: x".to_owned());
        let end = |interrupted| {
            json::test_summary(&TestTotals {
                interrupted,
                ..TestTotals::default()
            })
        };
        let mut merged = Merged::default();
        let lines = [of(warns.clone()), of(EmittedResult::Passes), end(false)];
        merged.add(Path::new("1"), &part(&lines)).unwrap();
        assert!(merged.incomplete.is_empty());
        assert_eq!(merged.emitted.values().collect::<Vec<_>>(), [&warns]);
        let lines = [of(EmittedResult::Fails("gone".to_owned())), end(true)];
        merged.add(Path::new("2"), &part(&lines)).unwrap();
        assert_eq!(merged.incomplete[0].why, "it was interrupted");
        let totals = merged.test_totals();
        assert_eq!((totals.emitted, totals.emitted_failed), (1, 1));
    }

    #[test]
    fn findings_count_once_and_totals_are_added() {
        let of_test = |name| json::own_test("a 1.0.0", "lib", &result(name, OwnVerdict::Ok));
        let end = json::test_summary(&TestTotals::default());
        let finding = json::finding("a 1.0.0", &deadlock(), None, 1, None);
        let mut merged = Merged::default();
        let first = part(&[finding.clone(), of_test("x"), end.clone()]);
        merged.add(Path::new("1"), &first).unwrap();
        let failing = json::own_test("a 1.0.0", "lib", &result("x", OwnVerdict::FailsSometimes));
        let second = part(&[finding, of_test("y"), failing, end]);
        merged.add(Path::new("2"), &second).unwrap();
        assert_eq!((merged.findings.len(), merged.repeated), (1, 1));
        let totals = merged.test_totals();
        assert_eq!(
            (totals.tests(), totals.ok, totals.fails_sometimes),
            (2, 1, 1)
        );
        assert_eq!(totals.executions, 9);
        assert!(merged.any_failed() && merged.incomplete.is_empty());

        // What is merged can be merged again.
        let mut again = Merged::default();
        let text = part(&merged.lines());
        again.add(Path::new("3"), &text).unwrap();
        assert_eq!(again.tests, merged.tests);
        assert_eq!(again.findings.len(), 1);
    }

    #[test]
    fn parts_that_did_not_come_to_their_end_are_named() {
        let mut merged = Merged::default();
        merged.add(Path::new("killed"), "").unwrap();
        let stopped = RunSummary {
            interrupted: true,
            ..RunSummary::default()
        };
        let stopped = json::summary(&stopped);
        merged.add(Path::new("stopped"), &stopped).unwrap();
        let items: Vec<&str> = merged
            .incomplete
            .iter()
            .map(|it| it.item.as_str())
            .collect();
        assert_eq!(items, ["killed", "stopped", "stopped"]);
        assert!(merged.is_empty());
        assert!(merged.text().contains("incomplete: killed"));
        assert!(merged.add(Path::new("x"), "nothing").is_err());
    }
}
