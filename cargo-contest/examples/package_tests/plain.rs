//! Tests as `cargo test` runs them.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::scratch::{Scratch, TARGETS};

/// A test that has not ended by then never does.
const LIMIT: Duration = Duration::from_secs(600);

/// What they came to.
#[derive(Default)]
pub(crate) struct Plain {
    /// How many passed.
    pub(crate) passed: u64,
    /// Names of those that failed.
    pub(crate) failed: BTreeSet<String>,
    /// Everything built, and ended in time.
    pub(crate) whole: bool,
}

impl Plain {
    /// Runs all tests but those of the documentation.
    ///
    /// # Errors
    /// If cargo cannot be started, or what it says cannot be written or read.
    pub(crate) fn run(copy: &Path, scratch: &Scratch) -> io::Result<Self> {
        let output = scratch.folder.join("plain.txt");
        let child = Command::new("cargo")
            .args(["test", "--no-fail-fast"])
            .args(TARGETS)
            .current_dir(copy)
            .env("CARGO_TARGET_DIR", &scratch.target)
            // As cargo compiles a package of the registry.
            .env("RUSTFLAGS", "--cap-lints=allow")
            .stdout(File::create(&output)?)
            .stderr(File::create(scratch.folder.join("plain-build.txt"))?)
            .spawn()?;
        let ended = in_time(child)?;
        let mut plain = Self::read(&String::from_utf8_lossy(&fs::read(output)?));
        plain.whole = ended;
        Ok(plain)
    }

    /// What libtest printed.
    fn read(printed: &str) -> Self {
        let mut plain = Self::default();
        for line in printed.lines() {
            if let Some(counts) = line.strip_prefix("test result: ") {
                let mut counts = counts.split([';', '.']).map(str::trim);
                let passed = counts.find_map(|it| it.strip_suffix(" passed"));
                plain.passed += passed.and_then(|it| it.parse::<u64>().ok()).unwrap_or(0);
            }
            let name = line.strip_prefix("test ").unwrap_or(line);
            if let Some(name) = name.strip_suffix(" ... FAILED") {
                let name = name.strip_suffix(" - should panic").unwrap_or(name);
                plain.failed.insert(name.to_owned());
            }
        }
        plain
    }
}

/// False if it had to be ended.
fn in_time(mut child: Child) -> io::Result<bool> {
    let started = Instant::now();
    loop {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        if started.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}
