//! The table.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use crate::subjects::Subject;

/// What came out for one subject.
pub(crate) struct Row {
    label: String,
    exit: Option<i32>,
    types: u64,
    operations: u64,
    left_out: u64,
    tests: u64,
    executions: u64,
    findings: BTreeMap<String, u32>,
    seconds: u64,
}

impl Row {
    pub(crate) fn new(subject: &Subject, exit: Option<i32>, stdout: &str, took: Duration) -> Self {
        let mut row = Self {
            label: subject.label.clone(),
            exit,
            types: 0,
            operations: 0,
            left_out: 0,
            tests: 0,
            executions: 0,
            findings: BTreeMap::new(),
            seconds: took.as_secs(),
        };
        for line in stdout.lines() {
            if let Ok(value) = serde_json::from_str::<Value>(line) {
                row.take(&value);
            }
        }
        row
    }

    fn take(&mut self, line: &Value) {
        let number = |key: &str| line.get(key).and_then(Value::as_u64).unwrap_or(0);
        match line.get("reason").and_then(Value::as_str) {
            Some("subject") => {
                self.left_out += line
                    .get("left_out")
                    .and_then(Value::as_array)
                    .map_or(0, |list| list.len() as u64);
            }
            Some("finding") => {
                let text = |key: &str| line.get(key).and_then(Value::as_str).unwrap_or("?");
                let threads = line
                    .get("threads")
                    .and_then(Value::as_array)
                    .map(Vec::as_slice)
                    .unwrap_or_default();
                let calls: Vec<String> = threads
                    .iter()
                    .map(|calls| {
                        let calls = calls.as_array().map(Vec::as_slice).unwrap_or_default();
                        calls
                            .iter()
                            .filter_map(Value::as_str)
                            .collect::<Vec<_>>()
                            .join("; ")
                    })
                    .collect();
                let finding = format!("{}: {}", text("kind"), calls.join(" || "));
                *self.findings.entry(finding).or_default() += 1;
            }
            Some("summary") => {
                self.types = number("types");
                self.operations = number("operations");
                self.tests = number("tests");
                self.executions = number("executions");
            }
            _ => {}
        }
    }

    /// The row as text.
    pub(crate) fn line(&self) -> String {
        let findings: Vec<&str> = self.findings.keys().map(String::as_str).collect();
        format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} s | {} |",
            self.label,
            self.exit
                .map_or_else(|| "signal".to_owned(), |code| code.to_string()),
            self.types,
            self.operations,
            self.left_out,
            self.tests,
            self.executions,
            self.seconds,
            findings.join(" / ")
        )
    }
}

pub(crate) fn print_table(rows: &[Row]) {
    println!(
        "| subject | exit | types | operations | left out | tests | executions | time | findings |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for row in rows {
        println!("{}", row.line());
    }
}
