//! A record of the data set: one bug.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};

/// A bug, with a version that has it and one that has not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    /// Its category and its name: `goker/etcd_7492`.
    pub(crate) id: String,
    /// Where it was reported, mended or described.
    pub(crate) source: String,
    pub(crate) scenario: String,
    /// A finding of one of these kinds is the bug; any that fails the test, if there are none.
    pub(crate) kinds: Vec<String>,
    /// All of these are in the calls or places of a finding that is the bug.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) parts: Vec<String>,
    /// The file of the package with the bug that a fix changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    pub(crate) buggy: Side,
    pub(crate) fixed: Side,
}

/// One of the two versions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Side {
    /// A package of this repository, or …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// … what a package depends on, as lines of its manifest; the first one is the crate with the bug.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) dependencies: Vec<String>,
    /// The lock file, where the version was yanked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lock: Option<String>,
    /// The test that shows the bug. The command names it, or runs it beside others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) test: Option<String>,
    /// Run in the package, it gives the verdict.
    pub(crate) command: String,
}

impl Record {
    pub(crate) fn category(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }
}

impl Side {
    /// The arguments of `cargo`, without the name of a test.
    pub(crate) fn arguments(&self) -> Vec<&str> {
        let mut words: Vec<&str> = self.command.split_whitespace().skip(1).collect();
        if self.names_test() {
            words.pop();
        }
        words
    }

    /// Whether the command runs no other test.
    pub(crate) fn names_test(&self) -> bool {
        let last = self.command.rsplit(' ').next();
        self.test.is_some() && self.test.as_deref() == last
    }
}

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn file() -> PathBuf {
    root().join("benchmark/records.jsonl")
}

/// The records of the data set.
///
/// # Errors
/// If the file cannot be read, or a line is no record.
pub(crate) fn read() -> Result<Vec<Record>, String> {
    let text = fs::read_to_string(file()).map_err(|error| error.to_string())?;
    let parse = |(number, line)| {
        serde_json::from_str(line).map_err(|error| format!("line {}: {error}", number + 1))
    };
    text.lines().enumerate().map(parse).collect()
}

/// Writes the data set anew.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn write(records: &[Record]) -> io::Result<()> {
    let mut text = String::new();
    for record in records {
        text += &serde_json::to_string(record)?;
        text.push('\n');
    }
    fs::write(file(), text)
}
