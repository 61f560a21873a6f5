//! Tests as `cargo contest test` runs them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::scratch::{Scratch, TARGETS};

/// What became of them.
#[derive(Default)]
pub(crate) struct Ours {
    /// The package, with its version.
    pub(crate) package: String,
    /// Exit status.
    pub(crate) exit: Option<i32>,
    /// Names of tests by result, as in the contract, each with what was said of it.
    pub(crate) tests: BTreeMap<String, Vec<(String, String)>>,
    /// Tests of which every interleaving was run.
    pub(crate) complete: u64,
    /// Findings by kind.
    pub(crate) findings: BTreeMap<String, u64>,
    /// With the build.
    pub(crate) took: Duration,
}

impl Ours {
    /// Runs all tests but those of the documentation.
    ///
    /// # Errors
    /// If the tool cannot be started, or what it says cannot be written or read.
    pub(crate) fn run(tool: &Path, scratch: &Scratch, budget: &str) -> io::Result<Self> {
        let lines = scratch.folder.join("report.jsonl");
        let started = Instant::now();
        let status = Command::new(tool)
            .args(["contest", "test", "--message-format", "json"])
            .args(TARGETS)
            .args(["--package", scratch.name, "--budget", budget])
            .current_dir(&scratch.folder)
            .env("CARGO_TARGET_DIR", &scratch.target)
            .stdout(File::create(&lines)?)
            .stderr(File::create(scratch.folder.join("report.txt"))?)
            .status()?;
        let mut ours = Self {
            package: scratch.name.to_owned(),
            exit: status.code(),
            took: started.elapsed(),
            ..Self::default()
        };
        for line in fs::read_to_string(&lines)?.lines() {
            if let Ok(line) = serde_json::from_str(line) {
                ours.take(&line);
            }
        }
        Ok(ours)
    }

    /// Names of tests with this result.
    pub(crate) fn with(&self, result: &str) -> &[(String, String)] {
        self.tests.get(result).map_or(&[], Vec::as_slice)
    }

    fn take(&mut self, line: &Value) {
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        match line["reason"].as_str() {
            Some("test") => {
                self.package = text("package");
                self.complete += u64::from(line["complete"] == true);
                let test = (text("name"), text("why"));
                self.tests.entry(text("result")).or_default().push(test);
            }
            Some("finding") => *self.findings.entry(text("kind")).or_default() += 1,
            _ => {}
        }
    }
}
