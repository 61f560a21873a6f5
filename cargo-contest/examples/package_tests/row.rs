//! A row of the table.

use std::fmt;

use crate::ours::Ours;
use crate::plain::Plain;

/// Above the rows.
pub(crate) const HEADING: &str = "| package | plainly passed | failed | here ok | of these in every interleaving | \
     failed | sometimes | not run | ignored | findings | seconds |\n|---|---|---|---|---|---|---|---|---|---|---|";

/// What came out for one package.
pub(crate) struct Row {
    ours: Ours,
    plain: Plain,
    name: &'static str,
}

impl Row {
    /// Of both.
    pub(crate) fn new(name: &'static str, ours: Ours, plain: Plain) -> Self {
        Self { ours, plain, name }
    }

    fn count(&self, result: &str) -> usize {
        self.ours.with(result).len()
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said: Vec<String> = Vec::new();
        for (kind, count) in &self.ours.findings {
            said.push(format!("{count} {kind}"));
        }
        match self.ours.exit {
            // No finding, and findings.
            Some(0 | 1) => {}
            Some(code) => said.push(format!("exit status {code}")),
            None => said.push("ended by a signal".to_owned()),
        }
        if !self.plain.whole {
            said.push("no plain result".to_owned());
        }
        write!(
            f,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            self.ours.package,
            self.plain.passed,
            self.plain.failed.len(),
            self.count("ok"),
            self.ours.complete,
            self.count("failed"),
            self.count("fails-sometimes"),
            self.count("not-run"),
            self.count("ignored"),
            said.join(", "),
            self.ours.took.as_secs(),
        )
    }
}

/// Of all rows.
#[derive(Default)]
pub(crate) struct Sums {
    plain: u64,
    ok: usize,
    /// What fails here and passes plainly, or is not run.
    differences: Vec<String>,
}

impl Sums {
    /// One row more.
    pub(crate) fn add(&mut self, row: &Row) {
        self.plain += row.plain.passed;
        self.ok += row.count("ok");
        for result in ["failed", "fails-sometimes", "not-run"] {
            for (test, message) in row.ours.with(result) {
                if !row.plain.failed.contains(test) {
                    let message = message.lines().next().unwrap_or_default();
                    let line = format!("{}: {test}: {result}: {message}", row.name);
                    self.differences.push(line);
                }
            }
        }
    }
}

impl fmt::Display for Sums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (plain, ok) = (self.plain, self.ok);
        writeln!(f, "\n{plain} tests pass plainly, {ok} are ok here\n")?;
        for line in &self.differences {
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}
