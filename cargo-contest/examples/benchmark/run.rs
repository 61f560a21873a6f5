//! One run of the tool, and what it says of a record.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::package::Place;
use crate::record::{Record, Side};

/// What a run said.
pub(crate) struct Outcome {
    lines: Vec<Value>,
    exit: Option<i32>,
    /// The first line of an error.
    error: String,
}

/// Of one side of a record.
pub(crate) enum Verdict {
    /// The bug shows: the kinds of its findings.
    Shown(String),
    /// Something else is wrong: a test fails in another way.
    Other(String),
    /// It does not show.
    Clean,
    /// Nothing can be said.
    Undecided(String),
}

impl Verdict {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Shown(kinds) => kinds.clone(),
            Self::Other(kinds) => format!("another one: {kinds}"),
            Self::Clean => "nothing".to_owned(),
            Self::Undecided(why) => format!("undecided: {why}"),
        }
    }
}

/// Runs the tool in a package, with JSON lines.
///
/// # Errors
/// If it does not start.
pub(crate) fn run(place: &Place, folder: &Path, arguments: &[&str]) -> Result<Outcome, String> {
    let mut command = Command::new(&place.tool);
    command.args(arguments);
    command.args(["--message-format", "json", "--target-dir"]);
    command.arg(place.folder.join("target")).current_dir(folder);
    let output = command.output().map_err(|error| {
        let tool = place.tool.display();
        format!("{tool}: {error}; run `cargo build -p cargo-contest` first")
    })?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let lines = stdout.lines();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let error = stderr.lines().find(|it| it.starts_with("error"));
    Ok(Outcome {
        lines: lines
            .filter_map(|it| serde_json::from_str(it).ok())
            .collect(),
        exit: output.status.code(),
        error: error.unwrap_or("the tool ended early").to_owned(),
    })
}

impl Outcome {
    fn with_reason(&self, reason: &str) -> impl Iterator<Item = &Value> {
        let lines = self.lines.iter();
        lines.filter(move |it| it["reason"] == reason)
    }

    /// Whether the record's bug shows on this side.
    pub(crate) fn verdict(&self, record: &Record, side: &Side) -> Verdict {
        match &side.test {
            Some(test) => self.of_test(test, &record.kinds),
            None => self.of_run(record),
        }
    }

    fn of_test(&self, test: &str, kinds: &[String]) -> Verdict {
        let Some(line) = self.with_reason("test").find(|it| it["name"] == test) else {
            return Verdict::Undecided(match self.exit {
                Some(0 | 1) => format!("there is no test `{test}`"),
                _ => self.error.clone(),
            });
        };
        let result = line["result"].as_str().unwrap_or_default();
        let of_test = self.with_reason("finding").filter(|it| {
            let name = it["type"].as_str().unwrap_or_default();
            let mut names = name.split(" + ").flat_map(|it| it.split(" then "));
            names.any(|it| it == test)
        });
        let mut shown: Vec<&str> = of_test.filter_map(|it| it["kind"].as_str()).collect();
        shown.sort_unstable();
        shown.dedup();
        let text = shown.join(", ");
        match result {
            "ok" if shown.is_empty() => Verdict::Clean,
            "failed" => Verdict::Other("it fails always".to_owned()),
            "ok" | "fails-sometimes" => {
                let is_kind = |it: &&str| kinds.iter().any(|kind| kind == it);
                match kinds.is_empty() || shown.iter().any(is_kind) {
                    true => Verdict::Shown(text),
                    false => Verdict::Other(text),
                }
            }
            result => Verdict::Undecided(format!("`{test}`: {result}")),
        }
    }

    fn of_run(&self, record: &Record) -> Verdict {
        let parts = |text: &str| record.parts.iter().all(|it| text.contains(it.as_str()));
        let is_shown = |line: &Value| {
            let (kind, text) = match line["reason"].as_str()? {
                "finding" => (
                    line["kind"].as_str()?.to_owned(),
                    format!(
                        "{} {} {}",
                        line["locations"], line["prefix"], line["threads"]
                    ),
                ),
                "alone" => (
                    format!("alone: {}", line["what"].as_str()?),
                    line["calls"].to_string(),
                ),
                _ => return None,
            };
            (record.kinds.contains(&kind) && parts(&text)).then_some(kind)
        };
        match (self.lines.iter().find_map(is_shown), self.exit) {
            (Some(kind), _) => Verdict::Shown(kind),
            (None, Some(0 | 1)) => Verdict::Clean,
            (None, _) => Verdict::Undecided(self.error.clone()),
        }
    }

    /// The tests that fail, with what was found.
    ///
    /// # Errors
    /// If no test was run, one was left out, or the run came to no end: then nothing is known of them.
    pub(crate) fn failing(&self) -> Result<Vec<String>, String> {
        let tests = self.with_reason("test");
        let tests: Vec<_> = tests.filter(|it| it["result"] != "ignored").collect();
        match self.exit {
            Some(0 | 1) if !tests.is_empty() => {}
            Some(0 | 1 | 4) => return Err("it has no tests that are run".to_owned()),
            _ => return Err(self.error.clone()),
        }
        let text =
            |it: &&Value| format!("`{}`: {}", it["name"].as_str().unwrap_or(""), it["message"]);
        if let Some(left_out) = tests.iter().find(|it| it["result"] == "not-run") {
            return Err(format!("not run: {}", text(left_out)));
        }
        let failing = tests.iter().filter(|it| it["result"] != "ok");
        let mut failing: Vec<String> = failing.map(text).collect();
        let pairs = self
            .with_reason("finding")
            .filter(|it| it["kind"] == "interference");
        failing.extend(pairs.map(|it| it["message"].to_string()));
        Ok(failing)
    }

    /// Threads that a test had.
    pub(crate) fn threads(&self, test: &str) -> u64 {
        let mut tests = self.with_reason("test");
        let line = tests.find(|it| it["name"] == test);
        line.and_then(|it| it["threads"].as_u64()).unwrap_or(0)
    }
}
