//! Executions per second of one way to run a subject.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::subjects::Subject;

/// A rate, or why there is none.
pub(crate) type Rate = Result<f64, String>;

/// Where everything is.
pub(crate) struct Places {
    pub(crate) tool: PathBuf,
    /// Packages and build output.
    pub(crate) root: PathBuf,
}

impl Places {
    pub(crate) fn package(&self, subject: &Subject) -> PathBuf {
        self.root.join(subject.package)
    }
}

/// What one run of the tool says.
pub(crate) struct Explored {
    pub(crate) executions: f64,
    pub(crate) steps: f64,
}

/// Executions and steps per second of exploration.
pub(crate) fn explored(
    places: &Places,
    subject: &Subject,
    layer: &[&str],
    budget: &str,
) -> Result<Explored, String> {
    let mut command = Command::new(&places.tool);
    command
        .args(["contest", "run", subject.type_name, "-p", subject.package])
        .args(layer)
        .args(["--budget", budget, "--no-emit", "--message-format", "json"])
        .current_dir(places.package(subject))
        .env("CARGO_TARGET_DIR", places.root.join("target"));
    let output = output(command)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let summary = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find(|line| line["reason"] == "summary")
        .ok_or_else(|| last_line(&output))?;
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    let seconds = number(&summary["elapsed_ms"]) / 1000.0;
    Ok(Explored {
        executions: number(&summary["executions"]) / seconds,
        steps: number(&summary["coverage"]["steps"]) / seconds,
    })
}

/// Rounds per second of the program under ThreadSanitizer itself: real threads, no control, `std` as it comes (not
/// instrumented, so what it reports is not looked at).
pub(crate) fn thread_sanitizer(places: &Places, subject: &Subject, time: Duration) -> Rate {
    const TARGET: &str = "x86_64-unknown-linux-gnu";
    let target = places.root.join("tsan");
    let mut build = cargo("+nightly", places, subject);
    build
        .args(["build", "-q", "--target", TARGET])
        .env("CARGO_TARGET_DIR", &target)
        .env(
            "RUSTFLAGS",
            "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer",
        );
    let built = output(build)?;
    if !built.status.success() {
        return Err(last_line(&built));
    }
    let program = target
        .join(TARGET)
        .join("debug")
        .join(format!("cost-{}", subject.package));
    let mut run = Command::new(program);
    run.args(["milliseconds", &time.as_millis().to_string()])
        .env("TSAN_OPTIONS", "report_bugs=0");
    let output = output(run)?;
    let rounds = String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse::<f64>();
    let rounds = rounds.map_err(|_| last_line(&output))?;
    Ok(rounds / time.as_secs_f64())
}

/// Executions per second under Miri, one for each seed; the time that it takes to start is taken off.
pub(crate) fn miri(places: &Places, subject: &Subject, seeds: u32) -> Rate {
    const INSTALL: &str =
        "not installed; `rustup toolchain install nightly --component miri rust-src`";
    let version = cargo("+nightly", places, subject)
        .args(["miri", "--version"])
        .output();
    if !version.is_ok_and(|output| output.status.success()) {
        return Err(INSTALL.to_owned());
    }
    let timed = |rounds: u32| -> Result<Duration, String> {
        let mut command = cargo("+nightly", places, subject);
        command
            .args(["miri", "run", "-q"])
            .env("CARGO_TARGET_DIR", places.root.join("miri"))
            .args(["--", "rounds", &rounds.to_string()])
            .env("MIRIFLAGS", format!("-Zmiri-many-seeds=0..{seeds}"));
        let start = Instant::now();
        let output = output(command)?;
        if output.status.success() {
            Ok(start.elapsed())
        } else {
            Err(last_line(&output))
        }
    };
    timed(0)?;
    let (none, one) = (timed(0)?, timed(1)?);
    Ok(f64::from(seeds) / one.saturating_sub(none).as_secs_f64().max(0.001))
}

/// cargo itself, not the one that runs this.
fn cargo(toolchain: &str, places: &Places, subject: &Subject) -> Command {
    let mut command = Command::new("cargo");
    command
        .arg(toolchain)
        .current_dir(places.package(subject))
        .env_remove("CARGO")
        .env_remove("RUSTUP_TOOLCHAIN");
    command
}

fn output(mut command: Command) -> Result<Output, String> {
    let program = Path::new(command.get_program()).to_path_buf();
    command
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))
}

/// What a process that failed said last.
fn last_line(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said
        .lines()
        .find(|line| line.starts_with("error"))
        .or_else(|| said.lines().rfind(|line| !line.trim().is_empty()));
    line.unwrap_or("ended without a message").to_owned()
}
