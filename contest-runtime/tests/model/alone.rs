//! Tests that need a process of their own: this executable again, with one test.

use std::process::{Command, Output};

const ALONE: &str = "CONTEST_TEST_ALONE";

/// Runs the test of this name in a process of its own; `None` inside that process.
pub(crate) fn in_own_process(test: &str, environment: &[(&str, &str)]) -> Option<Output> {
    if std::env::var_os(ALONE).is_some() {
        return None;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(ALONE, "1")
        .env_remove("RUST_BACKTRACE");
    command.envs(environment.iter().copied());
    Some(command.output().unwrap())
}

/// All that the process wrote.
pub(crate) fn text_of(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
