//! One run of the tool, and what its JSON lines say.

use std::path::{Path, PathBuf};
use std::process::Command;

use contest_data::finding::FindingKind;
use serde_json::Value;

use crate::subjects::Subject;

/// Options of a run.
#[derive(Clone, Debug)]
pub(crate) struct RunRequest {
    what: What,
    generator: String,
    strategy: String,
    seed: u32,
    budget: String,
    /// In one process, so that nothing is generated twice.
    alone: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Until the first finding.
    FirstFinding,
    /// The whole budget, whatever is found.
    Whole,
    /// The whole budget, to see what the search for sequences covers.
    Pruned,
    /// The same without prunings.
    Unpruned,
}

impl RunRequest {
    pub(crate) fn first_finding(generator: &str, strategy: &str, seed: u32, budget: &str) -> Self {
        Self {
            what: What::FirstFinding,
            generator: generator.to_owned(),
            strategy: strategy.to_owned(),
            seed,
            budget: budget.to_owned(),
            alone: false,
        }
    }

    /// In one process.
    pub(crate) fn in_one_process(self) -> Self {
        Self {
            alone: true,
            ..self
        }
    }

    /// To the end of the budget.
    pub(crate) fn whole(self) -> Self {
        Self {
            what: What::Whole,
            ..self
        }
    }

    pub(crate) fn searches(what: What, budget: &str) -> Self {
        Self {
            what,
            ..Self::first_finding("autocontest", "pta", 1, budget)
        }
    }
}

/// What a run showed.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// Milliseconds of exploration until the first finding of the expected kind.
    pub(crate) first_ms: Option<u64>,
    pub(crate) tests: u64,
    pub(crate) executions: u64,
    pub(crate) suite_calls: u64,
    pub(crate) pairs_run: u64,
    pub(crate) pairs: u64,
    pub(crate) sequences: u64,
    pub(crate) sequence_runs: u64,
    pub(crate) coverage: u64,
    /// Access patterns that executions showed.
    pub(crate) patterns: u64,
    /// Orders that break atomicity and were forced, each once.
    pub(crate) orders_covered: u64,
    /// The first search for sequences: microseconds, sequences run, traces covered.
    pub(crate) first_search: (u64, u64, u64),
}

/// Runs the tool on a copy of the subject.
pub(crate) fn run(root: &Path, subject: &Subject, request: &RunRequest) -> Outcome {
    let target = target_directory(root);
    let scratch = target.join("papers");
    let package = scratch_package(root, subject);
    let tool = target.join("debug/cargo-contest");
    let mut command = Command::new(&tool);
    let seed = request.seed.to_string();
    command
        .args(["contest", "run", subject.type_name])
        .args(["--generator", &request.generator, "--seed", &seed])
        .args(["--strategy", &request.strategy])
        .args(["--budget", &request.budget, "--no-emit"])
        .args(["--message-format", "json"])
        .current_dir(&package)
        .env("CARGO_TARGET_DIR", scratch.join("target"));
    if request.alone {
        command.args(["--jobs", "1"]);
    }
    match request.what {
        What::Whole => &mut command,
        What::FirstFinding => {
            let kinds = FindingKind::OF_CAMPAIGNS.iter().map(|(_, name)| *name);
            for other in kinds.filter(|name| *name != subject.kind) {
                command.args(["--allow", other]);
            }
            command.arg("--fail-fast")
        }
        What::Pruned => command.args(["--no-prune", "runs"]),
        What::Unpruned => command.args(["--no-prune", "runs,d2,d3,b1,b2"]),
    };
    let output = command.output().unwrap_or_else(|error| {
        panic!(
            "{}: {error}; run `cargo build -p cargo-contest` first",
            tool.display()
        )
    });
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<Value> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let with = |reason: &'static str| lines.iter().filter(move |line| line["reason"] == reason);
    let Some(summary) = with("summary").next() else {
        panic!(
            "{}: {}",
            package.display(),
            String::from_utf8_lossy(&output.stderr)
        );
    };
    let first = with("finding").find(|finding| finding["kind"] == subject.kind);
    let coverage = |name: &str| summary["coverage"][name].as_u64().unwrap_or(0);
    Outcome {
        first_ms: first.and_then(|finding| finding["elapsed_ms"].as_u64()),
        tests: summary["tests"].as_u64().unwrap_or(0),
        executions: summary["executions"].as_u64().unwrap_or(0),
        suite_calls: coverage("suite_calls"),
        pairs_run: coverage("pairs_run"),
        pairs: coverage("pairs"),
        sequences: coverage("sequences"),
        sequence_runs: coverage("sequence_runs"),
        coverage: coverage("sequential_coverage"),
        patterns: summary["coverage"]["access_patterns"]["covered"]
            .as_u64()
            .unwrap_or(0),
        orders_covered: {
            let counts = summary["coverage"]["requirements"].as_array();
            let mut counts = counts.into_iter().flatten();
            let found = counts.find(|it| it["why"] == contest_data::names::pta::DIFFERENT);
            found.and_then(|it| it["count"].as_u64()).unwrap_or(0)
        },
        first_search: {
            let first = &summary["coverage"]["first_search"];
            let of = |name: &str| first[name].as_u64().unwrap_or(0);
            (of("us"), of("sequence_runs"), of("sequential_coverage"))
        },
    }
}

/// A fresh copy of the subject.
pub(crate) fn scratch_package(root: &Path, subject: &Subject) -> PathBuf {
    let scratch = target_directory(root).join("papers");
    let package = scratch.join(subject.directory.file_name().unwrap_or_default());
    copy(&subject.directory, &package);
    // The target directory may lie in this project, whose workspace it is no part of.
    let manifest = package.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).expect("the subject has a manifest");
    std::fs::write(&manifest, text + "\n[workspace]\n")
        .expect("the scratch package can be written");
    package
}

/// Where this command was built.
pub(crate) fn target_directory(root: &Path) -> PathBuf {
    let own = std::env::current_exe().ok();
    let found = own.as_deref().and_then(|own| own.ancestors().nth(3));
    found.map_or_else(|| root.join("target"), Path::to_path_buf)
}

fn copy(from: &Path, to: &Path) {
    let source = to.join("src");
    std::fs::create_dir_all(&source).expect("the scratch package can be written");
    let files = [(from.to_path_buf(), to), (from.join("src"), &source)];
    for (from, to) in files {
        for entry in std::fs::read_dir(&from)
            .expect("the subject is there")
            .flatten()
        {
            if entry.path().is_file() {
                std::fs::copy(entry.path(), to.join(entry.file_name()))
                    .expect("the scratch package can be written");
            }
        }
    }
}
