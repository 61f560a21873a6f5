//! How each tool is run, and how its answer is read.

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::package::Packages;
use crate::programs::{Dialect, Program};

#[derive(Clone, Copy, Eq, PartialEq)]
pub(crate) enum Tool {
    Contest,
    Loom,
    ShuttleRandom,
    ShuttlePct,
    Miri,
}

/// How `timeout` ends.
const TIMEOUT: [i32; 2] = [124, 137];

/// Seeds of Miri, of which each is one execution.
const SEEDS: u32 = 64;

impl Tool {
    pub(crate) const ALL: [Self; 5] = [
        Self::Contest,
        Self::Loom,
        Self::ShuttleRandom,
        Self::ShuttlePct,
        Self::Miri,
    ];

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Contest => "contest",
            Self::Loom => "loom",
            Self::ShuttleRandom => "shuttle-random",
            Self::ShuttlePct => "shuttle-pct",
            Self::Miri => "miri",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Contest => "`cargo contest test`",
            Self::Loom => "loom",
            Self::ShuttleRandom => "shuttle, random, 10,000",
            Self::ShuttlePct => "shuttle, PCT 3, 10,000",
            Self::Miri => "Miri, 64 seeds",
        }
    }

    pub(crate) fn dialect(self) -> Dialect {
        match self {
            Self::Contest | Self::Miri => Dialect::Std,
            Self::Loom => Dialect::Loom,
            Self::ShuttleRandom | Self::ShuttlePct => Dialect::Shuttle,
        }
    }
}

pub(crate) enum Seen {
    Failure,
    /// The process ended by a signal: there is no schedule to look at.
    Death,
    Nothing {
        /// The tool says that it ran every execution.
        whole: bool,
    },
    /// The tool's bound on the length of an execution.
    GivenUp,
    OutOfTime,
}

pub(crate) struct Run {
    pub(crate) seen: Seen,
    /// None if the tool does not say.
    pub(crate) executions: Option<u64>,
    /// Of the whole command, all being built.
    pub(crate) time: Duration,
}

/// Runs one program under one tool.
///
/// # Errors
/// What is not installed, or does not build.
pub(crate) fn run(
    tool: Tool,
    program: &Program,
    packages: &Packages,
    mended: bool,
    limit: Duration,
) -> Result<Run, String> {
    let features: &[&str] = if mended {
        &["--features", "mended"]
    } else {
        &[]
    };
    let words: &[&str] = match tool {
        Tool::Contest => &["contest", "test", "--message-format", "json"],
        Tool::Miri => &["+nightly", "miri", "test"],
        _ => &["test"],
    };
    // A test that passes says how many executions it had.
    let captured: &[&str] = match tool {
        Tool::Contest | Tool::Miri => &[],
        _ => &["--", "--nocapture"],
    };
    let command = |extra: &[&str]| {
        let mut command = Command::new("timeout");
        let limit = limit.as_secs() + if extra.is_empty() { 0 } else { 600 };
        command
            .args(["--kill-after=5", &limit.to_string()])
            .arg(if tool == Tool::Contest {
                packages.tool.as_os_str()
            } else {
                "cargo".as_ref()
            })
            .args(words)
            .args(["--test", program.name])
            .args(features)
            .args(extra)
            .args(captured)
            .current_dir(packages.of(tool.dialect()))
            .env("CARGO_TARGET_DIR", packages.target(tool.dialect()))
            .env_remove("MIRIFLAGS")
            .env_remove("RUST_BACKTRACE")
            .env_remove("SCHEDULER");
        match tool {
            Tool::ShuttlePct => {
                command.env("SCHEDULER", "pct");
            }
            Tool::Miri => {
                command.env("MIRIFLAGS", format!("-Zmiri-many-seeds=0..{SEEDS}"));
            }
            _ => {}
        }
        command
    };
    // Everything is built before the clock starts; `cargo contest` builds in a first run.
    let built = output(&mut match tool {
        Tool::Contest => command(&["--budget", "1s"]),
        _ => command(&["--no-run"]),
    })?;
    if tool == Tool::Miri && !built.status.success() {
        return Err("not installed: `rustup component add miri --toolchain nightly`".to_owned());
    }
    if tool != Tool::Contest && !built.status.success() {
        return Err("does not build".to_owned());
    }
    let start = Instant::now();
    let output = output(&mut command(&[]))?;
    let time = start.elapsed();
    let run = read(tool, &output, time);
    let found = matches!(run.seen, Seen::Failure) && run.executions.is_some();
    match output.status.code() {
        Some(code) if tool == Tool::Contest && code != 0 && !TIMEOUT.contains(&code) && !found => {
            Err(format!("ends with status {code}"))
        }
        _ => Ok(run),
    }
}

fn output(command: &mut Command) -> Result<Output, String> {
    command.output().map_err(|error| error.to_string())
}

fn read(tool: Tool, output: &Output, time: Duration) -> Run {
    /// What loom and shuttle say of an execution that was too long for them.
    const BOUNDS: [&str; 2] = [
        "exceeded maximum number of branches",
        "exceeded max_steps bound",
    ];
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let said = format!("{text}{errors}");
    let passed = output.status.success();
    let (executions, whole) = match tool {
        Tool::Contest => {
            let lines = || {
                let lines = text.lines();
                lines.filter_map(|line| serde_json::from_str::<Value>(line).ok())
            };
            // It goes on after a failure, to say how often that happens.
            let failing = lines().find(|line| line["reason"] == "finding");
            let test = lines().find(|line| line["reason"] == "test");
            let test = test.unwrap_or_default();
            let executions = &failing.as_ref().unwrap_or(&test)["executions"];
            (executions.as_u64(), test["complete"] == true)
        }
        Tool::Miri => (seeds(&errors, passed), false),
        _ => (counted(&said), tool == Tool::Loom),
    };
    let seen = match output.status.code() {
        Some(code) if TIMEOUT.contains(&code) => Seen::OutOfTime,
        _ if passed => Seen::Nothing { whole },
        _ if errors.contains("(signal: ") => Seen::Death,
        _ if BOUNDS.iter().any(|bound| said.contains(bound)) => Seen::GivenUp,
        _ => Seen::Failure,
    };
    Run {
        seen,
        executions,
        time,
    }
}

/// Seeds that were run, up to the first that failed.
fn seeds(errors: &str, passed: bool) -> Option<u64> {
    if passed {
        return Some(u64::from(SEEDS));
    }
    let failing = errors.lines().find_map(|line| {
        let (_, seed) = line.split_once("FAILING SEED: ")?;
        seed.trim().parse::<u64>().ok()
    });
    failing.map(|seed| seed + 1)
}

/// What the package's library says last.
fn counted(text: &str) -> Option<u64> {
    text.lines()
        .filter_map(|line| line.strip_prefix("executions: "))
        .filter_map(|number| number.trim().parse().ok())
        .next_back()
}
