//! A row of the table.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde_json::Value;

/// Above the rows.
pub(crate) const HEADING: &str = "| crate | types | operations | tests | rungs complete | findings | causes | seconds |\n\
     |---|---|---|---|---|---|---|---|";

/// What came out for one crate.
#[derive(Default)]
pub(crate) struct Row {
    name: String,
    exit: Option<i32>,
    types: u64,
    operations: u64,
    tests: u64,
    /// Shapes of tests of which every test was explored whole.
    complete: usize,
    rungs: usize,
    findings: BTreeMap<String, u32>,
    causes: usize,
    seconds: u64,
}

impl Row {
    /// From the lines that the tool printed.
    pub(crate) fn new(name: &str, exit: Option<i32>, printed: &str, took: Duration) -> Self {
        let mut row = Self {
            name: name.to_owned(),
            exit,
            seconds: took.as_secs(),
            ..Self::default()
        };
        let lines = printed.lines();
        lines
            .filter_map(|line| serde_json::from_str(line).ok())
            .for_each(|line: Value| row.take(&line));
        row
    }

    /// How many there are.
    pub(crate) fn findings(&self) -> u32 {
        self.findings.values().sum()
    }

    fn take(&mut self, line: &Value) {
        match line["reason"].as_str() {
            Some("subject") => {
                self.name = line["package"].as_str().unwrap_or(&self.name).to_owned()
            }
            Some("finding") => {
                let kind = line["kind"].as_str().unwrap_or("?").to_owned();
                *self.findings.entry(kind).or_default() += 1;
            }
            Some("summary") => {
                let number = |key: &str| line[key].as_u64().unwrap_or(0);
                self.types = number("types");
                self.operations = number("operations");
                self.tests = number("tests");
                self.causes = list(&line["causes"]).len();
                let rungs = list(&line["ladder"])
                    .iter()
                    .flat_map(|it| list(&it["rungs"]));
                for rung in rungs {
                    self.rungs += 1;
                    self.complete += usize::from(!rung["statement"].is_null());
                }
            }
            _ => {}
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = self.findings.iter();
        let mut kinds: Vec<String> = kinds
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        match self.exit {
            // No finding, and findings.
            Some(0 | 1) => {}
            Some(code) => kinds.push(format!("exit status {code}")),
            None => kinds.push("ended by a signal".to_owned()),
        }
        write!(
            f,
            "| {} | {} | {} | {} | {} of {} | {} | {} | {} |",
            self.name,
            self.types,
            self.operations,
            self.tests,
            self.complete,
            self.rungs,
            kinds.join(", "),
            self.causes,
            self.seconds,
        )
    }
}
