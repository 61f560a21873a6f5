//! Names of tests, as libtest lists them of a plain build and of an instrumented one.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::scratch::Scratch;

/// Above the rows.
pub(crate) const HEADING: &str =
    "| package | tests here | the same as plainly | seconds |\n|---|---|---|---|";

/// What one package came to.
pub(crate) struct Names {
    package: String,
    tests: usize,
    /// What differs, or did not build; empty if nothing.
    differences: String,
    took: Duration,
}

impl Names {
    /// Builds the tests of a package twice.
    ///
    /// # Errors
    /// If the tool cannot be started, or what it says cannot be written or read.
    pub(crate) fn compare(tool: &Path, scratch: &Scratch) -> io::Result<Self> {
        let (listed, said) = (
            scratch.folder.join("list.txt"),
            scratch.folder.join("list-build.txt"),
        );
        let started = Instant::now();
        let status = Command::new(tool)
            .args(["contest", "test", "--compare", "--package", scratch.name])
            .args(["--", "--list"])
            .current_dir(&scratch.folder)
            .env("CARGO_TARGET_DIR", &scratch.target)
            .stdout(File::create(&listed)?)
            .stderr(File::create(&said)?)
            .status()?;
        let took = started.elapsed();
        let listed = fs::read_to_string(listed)?;
        let said = fs::read_to_string(said)?;
        let wrong = |line: &&str| line.starts_with("error") || line.starts_with("warning");
        let lines = said.lines().chain(listed.lines());
        let wrong: Vec<&str> = lines.filter(wrong).take(3).collect();
        // Name and version; of what is refused there is no copy.
        let copy = scratch.copy()?;
        let package = copy.as_deref().and_then(Path::file_name);
        let package = package.map_or(scratch.name.into(), |it| it.to_string_lossy());
        Ok(Self {
            package: package.into_owned(),
            tests: listed.lines().filter(|it| it.ends_with(": test")).count(),
            differences: match status.code() {
                Some(0) => String::new(),
                Some(code) => format!("exit status {code}: {}", wrong.join(" ")),
                None => "ended by a signal".to_owned(),
            },
            took,
        })
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let same = if self.differences.is_empty() {
            "yes"
        } else {
            &self.differences
        };
        let (package, tests) = (&self.package, self.tests);
        write!(
            f,
            "| {package} | {tests} | {same} | {} |",
            self.took.as_secs()
        )
    }
}
